package boundary

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/executor"
	"mysqlevidence/projector"
	"mysqlevidence/validator"
)

// source is one data source, compiled.
type source struct {
	cfg     config.DataSource
	policy  *authz.Policy
	queries *authz.Planner
	// samples plans the text that sample_table writes. It has the ceilings for
	// caps: those that the operator lowered are for the agent's own text.
	samples *authz.Planner
	exec    *executor.Executor // nil for a data source without a connection
	offline error              // what its calls get then
}

func compileSource(cfg config.DataSource, log *slog.Logger) (*source, error) {
	policy, err := authz.Compile(cfg)
	if err != nil {
		return nil, fmt.Errorf("compile the allowlist: %w", err)
	}
	s := &source{
		cfg:     cfg,
		policy:  policy,
		queries: authz.NewPlanner(validator.New(validator.Options{Functions: cfg.Functions, Caps: cfg.Query}), policy),
		samples: authz.NewPlanner(validator.New(validator.Options{Functions: cfg.Functions}), policy),
	}
	var refuses *executor.Error
	switch s.exec, err = executor.Open(cfg, log); {
	case errors.As(err, &refuses): // a fault of its calls, not of the start-up
		s.exec, s.offline = nil, refuses
	case err != nil:
		return nil, fmt.Errorf("set up the connections: %w", err)
	}
	return s, nil
}

func (s *source) close() error {
	if s.exec == nil {
		return nil
	}
	return s.exec.Close()
}

// source finds a data source by its name and notes it in the record.
func (b *ToolBoundary) source(name string, inv *Invocation) (*source, *Fault) {
	s, ok := b.sources[name]
	if !ok {
		return nil, argumentFault("unknown_data_source", "There is no such data source.",
			"The data sources are: "+strings.Join(b.sourceNames(), ", ")+".")
	}
	inv.DataSource, inv.PolicyHash = name, s.policy.Hash()
	return s, nil
}

// maxNames bounds how many names a hint lists.
const maxNames = 50

func (b *ToolBoundary) sourceNames() []string {
	var names []string
	for _, src := range b.cfg.DataSources {
		names = append(names, src.Name)
	}
	if len(names) > maxNames {
		names = append(slices.Clip(names[:maxNames]), "and others")
	}
	return names
}

// rows are the row limits of one call.
func (s *source) rows(asked, byDefault int) authz.RowLimits {
	most := s.cfg.Limits.MaxRows
	return authz.RowLimits{Asked: asked, Default: min(byDefault, most), Max: most}
}

// plan plans a text and checks its parameters. It records the canonical text, or
// the refused one without its literals.
func (s *source) plan(planner *authz.Planner, sql string, params []any, rows authz.RowLimits, inv *Invocation) (authz.Plan, error) {
	defer func() {
		if inv.SQL == "" { // not authorized
			inv.SQL = validator.Mask(sql)
		}
	}()
	p, err := planner.Plan(sql)
	if err != nil {
		return authz.Plan{}, err
	}
	inv.SQL = p.SQL(rows)
	if _, err := p.Bind(params, rows); err != nil {
		return authz.Plan{}, err
	}
	return p, nil
}

// describeRefused records what can be said of a call whose arguments are refused.
func (b *ToolBoundary) describeRefused(args arguments, inv *Invocation) {
	if s, ok := b.sources[args.dataSource]; ok {
		inv.DataSource, inv.PolicyHash = s.cfg.Name, s.policy.Hash()
	}
	if args.sql != "" {
		inv.SQL = validator.Mask(args.sql)
	}
}

// query runs a plan and projects its rows.
func (b *ToolBoundary) query(ctx context.Context, s *source, p authz.Plan, params []any, rows authz.RowLimits) (answer, error) {
	if s.exec == nil {
		return answer{}, s.offline
	}
	key, err := b.keyFor(p)
	if err != nil {
		b.log.ErrorContext(ctx, "the pseudonym key can't be used", "cause", err)
		return answer{}, &Fault{Code: CodeUnavailable, Reason: "pseudonym_key", Stage: StageBoundary,
			Message: "The key of the pseudonyms can't be used, so nothing ran.",
			Hint:    "Leave the pseudonymised columns out, or tell the operator; the log has the cause under the request's ID."}
	}
	limits := s.cfg.Limits
	result, err := s.exec.Run(ctx, p, params, executor.Limits{Rows: rows, Timeout: limits.Timeout, CellBytes: limits.CellBytes})
	if err != nil {
		return answer{costGate: gateOf(err)}, err
	}
	gate := string(result.CostGate())
	ev, err := projector.Project(result, projector.Limits{CellBytes: limits.CellBytes, TotalBytes: limits.TotalBytes}, key)
	if err != nil {
		return answer{costGate: gate}, err
	}
	sum := ev.SHA256()
	return answer{json: ev.JSON(), status: ev.Status(), rows: ev.RowCount(), truncated: ev.Truncated(),
		sha256: hex.EncodeToString(sum[:]), costGate: gate}, nil
}

// gateOf is what became of the cost gate before a query failed.
func gateOf(err error) string {
	var failed *executor.Error
	if errors.As(err, &failed) {
		return string(failed.CostGate)
	}
	return ""
}

// keyFor returns the key of the pseudonyms if the plan shows any.
func (b *ToolBoundary) keyFor(p authz.Plan) (projector.Pseudonyms, error) {
	for _, c := range p.Columns() {
		if c.Mask == config.MaskPseudonym {
			return b.key()
		}
	}
	return projector.Pseudonyms{}, nil
}
