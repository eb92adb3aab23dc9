// Package function knows every SQL function that the product has an opinion on:
// which native, deterministic functions agents may call by default, which the
// config may add, which nothing can allow, and what to say of the functions of
// other databases.
//
// A name that is absent here is never rendered: to MySQL an unknown name in a
// call is a stored function (MySQL manual, "Function Name Parsing and
// Resolution").
package function

// Function is one native function.
type Function struct {
	Name     string // MySQL's spelling, upper case
	Min, Max int    // number of arguments; Max -1 is unbounded
	Default  bool   // allowed unless the config removes it
	// Only lists the flavours in which the function is native; empty means all
	// that the product supports. Elsewhere the name would call a stored function.
	Only []string
}

// catalogue is every function that may be allowed, keyed by upper-case name.
var catalogue = build()

func build() map[string]Function {
	m := map[string]Function{}
	put := func(isDefault bool, only []string, lo, hi int, names ...string) {
		for _, n := range names {
			m[n] = Function{Name: n, Min: lo, Max: hi, Default: isDefault, Only: only}
		}
	}
	yes := func(lo, hi int, names ...string) { put(true, nil, lo, hi, names...) }
	maybe := func(lo, hi int, names ...string) { put(false, nil, lo, hi, names...) }

	// Aggregates and forms with a grammar of their own; the tree has nodes for
	// them, the entries are here so that the config can remove them.
	yes(1, -1, "COUNT", "GROUP_CONCAT")
	yes(1, 1, "SUM", "AVG", "MIN", "MAX")
	yes(2, 2, "DATE_ADD", "DATE_SUB", "ADDDATE", "SUBDATE", "EXTRACT", "POSITION")
	yes(3, 3, "TIMESTAMPADD", "TIMESTAMPDIFF")
	yes(1, 2, "TRIM")

	// Text. REPLACE is allowed only where it can't grow its input (see package
	// validator); REPEAT, SPACE, LPAD and RPAD never are.
	yes(1, 1, "LOWER", "LCASE", "UPPER", "UCASE", "LTRIM", "RTRIM", "REVERSE", "ASCII",
		"LENGTH", "OCTET_LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH", "BIT_LENGTH")
	yes(1, -1, "CONCAT")
	yes(2, -1, "CONCAT_WS", "FIELD", "ELT") // CONCAT_WS with a short literal separator only
	yes(2, 3, "SUBSTRING", "SUBSTR", "MID", "LOCATE", "FORMAT")
	yes(2, 2, "LEFT", "RIGHT", "INSTR", "FIND_IN_SET", "STRCMP")
	yes(3, 3, "REPLACE", "SUBSTRING_INDEX")
	yes(4, 4, "INSERT")

	// Numbers.
	yes(1, 1, "ABS", "CEIL", "CEILING", "FLOOR", "SIGN", "SQRT", "EXP", "LN", "LOG2", "LOG10")
	yes(1, 2, "ROUND", "LOG")
	yes(2, 2, "MOD", "POW", "POWER", "TRUNCATE")
	yes(2, -1, "GREATEST", "LEAST")

	// Choice.
	yes(3, 3, "IF")
	yes(2, 2, "IFNULL", "NULLIF")
	yes(1, -1, "COALESCE")
	yes(1, 1, "ISNULL")

	// The time of the statement, dates and times.
	yes(0, 0, "CURDATE", "CURRENT_DATE", "UTC_DATE")
	yes(0, 1, "NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "CURTIME", "CURRENT_TIME",
		"UTC_TIME", "UTC_TIMESTAMP", "UNIX_TIMESTAMP")
	yes(1, 1, "DATE", "TIME", "YEAR", "MONTH", "DAY", "DAYOFMONTH", "HOUR", "MINUTE", "SECOND",
		"MICROSECOND", "QUARTER", "WEEKDAY", "WEEKOFYEAR", "DAYOFWEEK", "DAYOFYEAR", "DAYNAME",
		"MONTHNAME", "LAST_DAY", "TO_DAYS", "FROM_DAYS", "SEC_TO_TIME", "TIME_TO_SEC")
	yes(1, 2, "WEEK", "YEARWEEK", "TIMESTAMP", "FROM_UNIXTIME")
	yes(2, 2, "DATEDIFF", "TIMEDIFF", "DATE_FORMAT", "TIME_FORMAT", "STR_TO_DATE", "MAKEDATE",
		"ADDTIME", "SUBTIME")

	// JSON, reading only.
	yes(2, 2, "JSON_EXTRACT") // each further path would repeat the document
	yes(1, 1, "JSON_UNQUOTE", "JSON_TYPE", "JSON_VALID")
	yes(1, 2, "JSON_LENGTH", "JSON_KEYS")
	yes(2, 3, "JSON_CONTAINS")
	yes(3, -1, "JSON_CONTAINS_PATH")

	// What the config may add.
	maybe(1, 1, "HEX", "UNHEX", "SOUNDEX", "TO_BASE64", "FROM_BASE64", "CRC32", "BIN", "OCT", "ORD",
		"QUOTE", "SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "DEGREES", "RADIANS", "BIT_COUNT",
		"INET_ATON", "INET_NTOA", "INET6_ATON", "INET6_NTOA", "IS_IPV4", "IS_IPV6", "TO_SECONDS", "JSON_QUOTE", "JSON_DEPTH")
	maybe(1, 2, "ATAN")
	maybe(0, 0, "PI")
	maybe(2, 2, "ATAN2", "SHA2", "PERIOD_ADD", "PERIOD_DIFF")
	maybe(3, 3, "CONV", "CONVERT_TZ", "MAKETIME")
	maybe(0, -1, "JSON_ARRAY")
	// Gone from the server core by MySQL 9.7: the name would call a stored function.
	put(false, []string{"mysql 8", "mariadb"}, 1, 1, "MD5", "SHA1", "SHA")
	return m
}

// Verdict is what may become of a function name.
type Verdict int

// The verdicts on a name that isn't in the allowed set.
const (
	Unknown   Verdict = iota // stored, misspelt, or of another database
	Addable                  // native; the config may add it
	Forbidden                // waits, locks, has side effects, or can't be bounded
	Metadata                 // tells about server, session or account
	Regexp                   // regular expressions
	Geometry                 // geometries
	Unoffered                // native and harmless, but not part of the product
)

var forbidden = words(`SLEEP BENCHMARK GET_LOCK RELEASE_LOCK RELEASE_ALL_LOCKS IS_FREE_LOCK IS_USED_LOCK
	LOAD_FILE UUID UUID_SHORT UUID_TO_BIN BIN_TO_UUID SYS_GUID RAND RANDOM_BYTES SYSDATE MASTER_POS_WAIT
	SOURCE_POS_WAIT MASTER_GTID_WAIT WAIT_FOR_EXECUTED_GTID_SET WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS
	GTID_SUBSET GTID_SUBTRACT EXTRACTVALUE UPDATEXML ANY_VALUE REPEAT SPACE LPAD RPAD NAME_CONST VALUES
	VALUE DEFAULT AES_ENCRYPT AES_DECRYPT DES_ENCRYPT DES_DECRYPT ENCRYPT ENCODE DECODE COMPRESS UNCOMPRESS
	UNCOMPRESSED_LENGTH OLD_PASSWORD PASSWORD EXPORT_SET MAKE_SET WEIGHT_STRING STATEMENT_DIGEST
	STATEMENT_DIGEST_TEXT STRING_TO_VECTOR VECTOR_TO_STRING GROUPING ROLLUP CUBE NEXTVAL LASTVAL SETVAL
	PG_SLEEP WAITFOR ASYMMETRIC_ENCRYPT ASYMMETRIC_DECRYPT ASYMMETRIC_SIGN ASYMMETRIC_VERIFY CREATE_ASYMMETRIC_PRIV_KEY
	CREATE_ASYMMETRIC_PUB_KEY CREATE_DH_PARAMETERS ASYMMETRIC_DERIVE KDF SFORMAT NATURAL_SORT_KEY`)

var metadata = words(`DATABASE SCHEMA USER CURRENT_USER SESSION_USER SYSTEM_USER VERSION CONNECTION_ID
	CURRENT_ROLE FOUND_ROWS ROW_COUNT LAST_INSERT_ID CHARSET COLLATION COERCIBILITY ICU_VERSION
	ROLES_GRAPHML PS_CURRENT_THREAD_ID PS_THREAD_ID FORMAT_BYTES FORMAT_PICO_TIME DECODE_HISTOGRAM
	CAN_ACCESS_COLUMN CAN_ACCESS_DATABASE CAN_ACCESS_TABLE CAN_ACCESS_VIEW INTERNAL_TABLE_ROWS BINLOG_GTID_POS`)

var regexps = words(`REGEXP_LIKE REGEXP_INSTR REGEXP_REPLACE REGEXP_SUBSTR RLIKE REGEXP REGEXP_MATCHES REGEXP_MATCH
	REGEXP_CONTAINS REGEXP_COUNT REGEXP_EXTRACT REGEXP_EXTRACT_ALL REGEX_REPLACE REPLACE_REGEX REGEXP_SPLIT_TO_ARRAY`)

// unoffered are native functions without danger that nobody needs in a question:
// they make documents, characters or statistics, or have a grammar of their own.
var unoffered = words(`JSON_OBJECT JSON_VALUE JSON_SEARCH JSON_SET JSON_INSERT JSON_REPLACE JSON_REMOVE JSON_MERGE
	JSON_MERGE_PATCH JSON_MERGE_PRESERVE JSON_ARRAY_APPEND JSON_ARRAY_INSERT JSON_OVERLAPS JSON_PRETTY JSON_TABLE
	JSON_SCHEMA_VALID JSON_SCHEMA_VALIDATION_REPORT JSON_STORAGE_SIZE JSON_STORAGE_FREE JSON_ARRAYAGG JSON_OBJECTAGG
	JSON_QUERY JSON_EXISTS JSON_COMPACT JSON_DETAILED JSON_LOOSE CHAR CHR INTERVAL GET_FORMAT STD STDDEV STDDEV_POP STDDEV_SAMP
	VAR_POP VAR_SAMP VARIANCE BIT_AND BIT_OR BIT_XOR ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE LAG LEAD
	FIRST_VALUE LAST_VALUE NTH_VALUE IS_UUID IS_IPV4_COMPAT IS_IPV4_MAPPED VALIDATE_PASSWORD_STRENGTH MEMBER MATCH`)

var geometries = words(`POINT LINESTRING POLYGON MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMETRYCOLLECTION`)
