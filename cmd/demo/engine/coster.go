package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/memo"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// coster decides between the engine's kinds of joins. A hash join is taken where
// it is right, as the engine's own estimates prefer lookups that are a hundred
// times slower, and never where it is wrong: it finds a key by Go's ==, which
// tells apart equal decimals, and texts that are equal in their collation.
type coster struct{ memo.Coster }

const (
	first = -1e5 // below every estimate
	never = 1e18 // above every estimate
)

func newCoster() memo.Coster { return coster{memo.NewDefaultCoster()} }

func (c coster) EstimateCost(ctx *sql.Context, r memo.RelExpr, s sql.StatsProvider) (float64, error) {
	join, ok := r.(*memo.HashJoin)
	if !ok {
		return c.Coster.EstimateCost(ctx, r, s)
	}
	for i, left := range join.LeftAttrs {
		if !hashable(left.Type(), join.RightAttrs[i].Type()) {
			return never, nil
		}
	}
	return first, nil
}

// hashable reports whether values of these types are equal exactly when MySQL says
// that they are, after the engine has converted the one to the type of the other.
func hashable(left, right sql.Type) bool {
	switch {
	case types.IsInteger(left):
		return types.IsInteger(right)
	case types.IsTime(left), types.IsEnum(left):
		return left.Equals(right)
	}
	return false
}
