// Package boundary turns a framework's tool call into evidence or a fault. Call
// New once and Invoke for each call.
//
// It guarantees:
//
//   - No evidence without a record. A call that the store can't begin runs
//     nothing, one that it can't finish releases nothing. Refused, cancelled and
//     failed calls are recorded too.
//   - Exactly one call ID: the framework's, byte for byte the same in the record,
//     in each log line and in the fault. A repeated (run, call) runs nothing.
//   - Every refusal of the arguments, of the query and of its parameters happens
//     before a connection is opened or taken, and so does the refusal of a run
//     that is cancelled or past its deadline.
//   - What is released is evidence, an answer made from the allowlist, or a fault
//     whose texts are ours. Causes go to the operator's log. No row and no
//     parameter value is in record or log.
//   - A panic inside a call is recorded and becomes the fault "internal".
//
// It doesn't authenticate: RunContext.Caller is taken as it is given. Calls that
// are refused for an unusable ID have no key and so no record; they are logged.
package boundary

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mysqlevidence/config"
	"mysqlevidence/internal/secret"
	"mysqlevidence/projector"
)

// Options are what New needs beside the config.
type Options struct {
	// Store records each call; required. The boundary never closes it.
	Store InvocationStore
	Log   *slog.Logger // nil for none
}

// ToolBoundary serves the tools of one config. It is safe for concurrent use.
type ToolBoundary struct {
	cfg       *config.Config
	store     InvocationStore
	log       *slog.Logger
	tools     []tool             // the advertised ones, in a fixed order
	sources   map[string]*source // by name
	admission *admission

	keyMu      sync.Mutex
	pseudonyms projector.Pseudonyms
	hasKey     bool
}

// storeTimeout bounds each of the two records of a call. They run in a context
// of their own, so that a cancelled call is recorded too.
const storeTimeout = 10 * time.Second

// New compiles every data source of the config. It connects to none and reads no
// secret, so a data source that is down doesn't stop the others.
func New(cfg *config.Config, opts Options) (*ToolBoundary, error) {
	if opts.Store == nil {
		return nil, errors.New("boundary: a store is required")
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	log = slog.New(callLog{log.Handler()})
	b := &ToolBoundary{
		cfg: cfg, store: opts.Store, log: log,
		sources:   map[string]*source{},
		admission: newAdmission(cfg.Limits.InFlight, cfg.Limits.InFlightPerCaller),
	}
	var err error
	if b.tools, err = advertised(cfg.Server.Tools); err != nil {
		return nil, fmt.Errorf("boundary: %w", err)
	}
	for _, src := range cfg.DataSources {
		s, err := compileSource(src, log)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("boundary: data source %q: %w", src.Name, err), b.Close())
		}
		b.sources[src.Name] = s
	}
	return b, nil
}

// Close ends the connections of every data source.
func (b *ToolBoundary) Close() error {
	var errs []error
	for _, s := range b.sources {
		if err := s.close(); err != nil {
			errs = append(errs, fmt.Errorf("close data source %q: %w", s.cfg.Name, err))
		}
	}
	return errors.Join(errs...)
}

// key reads the pseudonyms' key when a query first needs it, and again after a
// failure.
func (b *ToolBoundary) key() (projector.Pseudonyms, error) {
	b.keyMu.Lock()
	defer b.keyMu.Unlock()
	if b.hasKey {
		return b.pseudonyms, nil
	}
	value, err := secret.Resolve(b.cfg.PseudonymKey)
	if err != nil {
		return projector.Pseudonyms{}, fmt.Errorf("read the pseudonym key: %w", err)
	}
	p, err := projector.NewPseudonyms([]byte(value))
	if err != nil {
		return projector.Pseudonyms{}, fmt.Errorf("pseudonym key: %w", err)
	}
	b.pseudonyms, b.hasKey = p, true
	return p, nil
}
