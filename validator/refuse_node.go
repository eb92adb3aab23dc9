package validator

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// refuseNode gives every other node of the parser its reason. A node that no case
// names came with a new version of the parser: it is unsupported_syntax here, and
// a test fails until somebody decides.
func (c *converter) refuseNode(e sqlparser.Expr) tree.Expr {
	pos := c.here()
	switch e := e.(type) {
	case *sqlparser.LockingFunc, *sqlparser.GTIDFuncExpr, *sqlparser.ExtractValueExpr, *sqlparser.UpdateXMLExpr,
		*sqlparser.ValuesFuncExpr, *sqlparser.Default, *sqlparser.AnyValue, *sqlparser.WeightStringFuncExpr:
		c.refuse(refusal.ForbiddenFunction, pos)
	case *sqlparser.PerformanceSchemaFuncExpr:
		c.refuse(refusal.MetadataFunction, pos)
	case *sqlparser.RegexpInstrExpr, *sqlparser.RegexpLikeExpr, *sqlparser.RegexpReplaceExpr, *sqlparser.RegexpSubstrExpr:
		c.refuse(refusal.RegexpOperator, pos)
	case *sqlparser.ArgumentLessWindowExpr, *sqlparser.FirstOrLastValueExpr, *sqlparser.NtileExpr,
		*sqlparser.NTHValueExpr, *sqlparser.LagLeadExpr:
		c.refuse(refusal.WindowFunction, pos)
	case *sqlparser.CharExpr:
		if e.Charset != "" {
			c.refuse(refusal.Charset, pos)
			break
		}
		c.refuse(refusal.UnknownFunction, pos)
	case *sqlparser.BitAnd, *sqlparser.BitOr, *sqlparser.BitXor, *sqlparser.Std, *sqlparser.StdDev, *sqlparser.StdPop,
		*sqlparser.StdSamp, *sqlparser.VarPop, *sqlparser.VarSamp, *sqlparser.Variance, *sqlparser.JSONArrayAgg, *sqlparser.JSONObjectAgg:
		c.refuse(refusal.UnknownFunction, pos).Messagef("This aggregate is not in the list of allowed functions.").
			Hintf("Use COUNT, SUM, AVG, MIN, MAX or GROUP_CONCAT.")
	case *sqlparser.MatchExpr:
		c.refuse(refusal.UnsupportedSyntax, pos).Messagef("MATCH … AGAINST is not accepted.").Hintf("Use LIKE with %% and _.")
	case *sqlparser.IntervalFuncExpr, *sqlparser.JSONObjectExpr, *sqlparser.JSONValueExpr, *sqlparser.JSONSchemaValidFuncExpr,
		*sqlparser.JSONSchemaValidationReportFuncExpr, *sqlparser.JSONPrettyExpr, *sqlparser.JSONStorageFreeExpr,
		*sqlparser.JSONStorageSizeExpr, *sqlparser.JSONOverlapsExpr, *sqlparser.JSONSearchExpr, *sqlparser.JSONValueModifierExpr,
		*sqlparser.JSONValueMergeExpr, *sqlparser.JSONRemoveExpr:
		c.refuse(refusal.UnknownFunction, pos)
	case *sqlparser.PointExpr, *sqlparser.LineStringExpr, *sqlparser.PolygonExpr, *sqlparser.MultiPolygonExpr,
		*sqlparser.MultiPointExpr, *sqlparser.MultiLinestringExpr, *sqlparser.GeomFromTextExpr, *sqlparser.GeomFromWKBExpr,
		*sqlparser.GeomFormatExpr, *sqlparser.GeomPropertyFuncExpr, *sqlparser.PointPropertyFuncExpr,
		*sqlparser.LinestrPropertyFuncExpr, *sqlparser.PolygonPropertyFuncExpr, *sqlparser.GeomCollPropertyFuncExpr,
		*sqlparser.GeoHashFromLatLongExpr, *sqlparser.GeoHashFromPointExpr, *sqlparser.GeomFromGeoHashExpr,
		*sqlparser.GeoJSONFromGeomExpr, *sqlparser.GeomFromGeoJSONExpr:
		c.refuse(refusal.UnknownFunction, pos).Messagef("Functions on geometries are not accepted.").
			Hintf("Select plain columns; the operator can offer a view for more.")
	case sqlparser.ListArg, *sqlparser.Offset:
		c.refuse(refusal.NamedPlaceholder, pos)
	case *sqlparser.NamedWindow:
		c.refuse(refusal.WindowFunction, pos)
	default:
		c.refuse(refusal.UnsupportedSyntax, pos)
	}
	return &tree.Null{}
}
