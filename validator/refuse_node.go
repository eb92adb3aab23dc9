package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// refuseNode gives every other node of the parser its reason. A node that no case
// names came with a new version of the parser: it is unsupported_syntax here, and
// a test fails until somebody decides.
func (c *converter) refuseNode(e sqlparser.Expr) tree.Expr {
	name, pos := c.nextCall()
	switch e := e.(type) {
	case *sqlparser.ArgumentLessWindowExpr, *sqlparser.FirstOrLastValueExpr, *sqlparser.NtileExpr,
		*sqlparser.NTHValueExpr, *sqlparser.LagLeadExpr:
		c.refuse(refusal.WindowFunction, pos)
	case *sqlparser.CharExpr:
		if e.Charset != "" {
			c.refuse(refusal.Charset, pos)
			break
		}
		c.refuseFunction("CHAR", pos)
	case *sqlparser.MatchExpr:
		c.refuse(refusal.UnsupportedSyntax, pos).Messagef("MATCH … AGAINST is not accepted.").Hintf("Use LIKE with %% and _.")
	case *sqlparser.LockingFunc, *sqlparser.GTIDFuncExpr, *sqlparser.ExtractValueExpr, *sqlparser.UpdateXMLExpr,
		*sqlparser.ValuesFuncExpr, *sqlparser.Default, *sqlparser.AnyValue, *sqlparser.WeightStringFuncExpr,
		*sqlparser.PerformanceSchemaFuncExpr,
		*sqlparser.RegexpInstrExpr, *sqlparser.RegexpLikeExpr, *sqlparser.RegexpReplaceExpr, *sqlparser.RegexpSubstrExpr,
		*sqlparser.BitAnd, *sqlparser.BitOr, *sqlparser.BitXor, *sqlparser.Std, *sqlparser.StdDev, *sqlparser.StdPop,
		*sqlparser.StdSamp, *sqlparser.VarPop, *sqlparser.VarSamp, *sqlparser.Variance, *sqlparser.JSONArrayAgg, *sqlparser.JSONObjectAgg,
		*sqlparser.IntervalFuncExpr, *sqlparser.JSONObjectExpr, *sqlparser.JSONValueExpr, *sqlparser.JSONSchemaValidFuncExpr,
		*sqlparser.JSONSchemaValidationReportFuncExpr, *sqlparser.JSONPrettyExpr, *sqlparser.JSONStorageFreeExpr,
		*sqlparser.JSONStorageSizeExpr, *sqlparser.JSONOverlapsExpr, *sqlparser.JSONSearchExpr, *sqlparser.JSONValueModifierExpr,
		*sqlparser.JSONValueMergeExpr, *sqlparser.JSONRemoveExpr,
		*sqlparser.PointExpr, *sqlparser.LineStringExpr, *sqlparser.PolygonExpr, *sqlparser.MultiPolygonExpr,
		*sqlparser.MultiPointExpr, *sqlparser.MultiLinestringExpr, *sqlparser.GeomFromTextExpr, *sqlparser.GeomFromWKBExpr,
		*sqlparser.GeomFormatExpr, *sqlparser.GeomPropertyFuncExpr, *sqlparser.PointPropertyFuncExpr,
		*sqlparser.LinestrPropertyFuncExpr, *sqlparser.PolygonPropertyFuncExpr, *sqlparser.GeomCollPropertyFuncExpr,
		*sqlparser.GeoHashFromLatLongExpr, *sqlparser.GeoHashFromPointExpr, *sqlparser.GeomFromGeoHashExpr,
		*sqlparser.GeoJSONFromGeomExpr, *sqlparser.GeomFromGeoJSONExpr:
		// The name in the text says which of our lists the function is on.
		c.refuseFunction(name, pos)
	case sqlparser.ListArg, *sqlparser.Offset:
		c.refuse(refusal.NamedPlaceholder, pos)
	case *sqlparser.NamedWindow:
		c.refuse(refusal.WindowFunction, pos)
	default:
		c.refuse(refusal.UnsupportedSyntax, pos)
	}
	return &tree.Null{}
}

// nextCall is the next call in the text from the cursor on: the node that the
// parser made of it has no position, and no name as it was written.
func (c *converter) nextCall() (string, tree.Pos) {
	for i := c.cursor; i+1 < len(c.tokens); i++ {
		if tok := c.tokens[i]; c.tokens[i+1].typ == '(' && tok.isBareWord() && (tok.typ == sqlparser.INTERVAL || !clauseWords[strings.ToLower(tok.val)]) {
			return tok.val, tok.pos
		}
	}
	return "", c.here()
}
