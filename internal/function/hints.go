package function

// What to write instead, for several names at once.
const (
	useDateFormat  = "In MySQL use DATE_FORMAT(date, '%Y-%m')."
	useStrToDate   = "In MySQL use STR_TO_DATE(text, '%Y-%m-%d')."
	useTruncated   = "In MySQL use DATE_FORMAT(date, '%Y-%m-01') for the month, DATE(date) for the day, YEAR(date) for the year."
	useExtract     = "In MySQL use EXTRACT(YEAR FROM date), or YEAR(date), MONTH(date)."
	useDiff        = "In MySQL use DATEDIFF(a, b) for days, or TIMESTAMPDIFF(MONTH, b, a)."
	useDateAdd     = "In MySQL use DATE_ADD(date, INTERVAL 1 DAY)."
	useNow         = "In MySQL use NOW()."
	useCast        = "In MySQL use CAST(a AS SIGNED), CAST(a AS DECIMAL(20,4)) or CAST(a AS CHAR)."
	useLocate      = "In MySQL use LOCATE(part, text)."
	useLike        = "In MySQL use text LIKE 'part%', or LIKE '%part%'."
	useGroupConcat = "In MySQL use GROUP_CONCAT(text ORDER BY text SEPARATOR ', ')."
	useSplit       = "In MySQL use SUBSTRING_INDEX(text, ',', 1)."
	useOffset      = "Count the rows first; then ORDER BY the value with LIMIT 1 OFFSET n, n being the rows before it."
	useFirst       = "Use ORDER BY with LIMIT 1."
	useCase        = "In MySQL use SUM(CASE WHEN condition THEN 1 ELSE 0 END)."
	useDeviation   = "Use SQRT(AVG(a * a) - AVG(a) * AVG(a))."
	useVariance    = "Use AVG(a * a) - AVG(a) * AVG(a)."
	useJSONText    = "Use JSON_UNQUOTE(JSON_EXTRACT(doc, '$.key')), or doc->>'$.key'."
	useJSON        = "Use JSON_EXTRACT(doc, '$.key'), or doc->'$.key'."
	useColumns     = "Select the values as columns of their own: the answer is JSON already."
	useRanking     = "Use ORDER BY with LIMIT; the rows come in that order, so number them yourself."
	useNeighbour   = "Select the rows with ORDER BY and compare each with the one before it yourself."
	noRandom       = "Random order is not available; use ORDER BY a column with LIMIT."
	noPadding      = "Padding is not available; format the value yourself."
	noArrays       = "Arrays are not available; JSON_EXTRACT(doc, '$[0]') reads one element."
	noUUID         = "Select the stored identifier instead; none can be made here."
	noHash         = "Compare the value itself."
	noRollup       = "Group by the plain columns and run one more query for each total."
	noCipher       = "Select the value as it is stored; nothing is encrypted, compressed or decoded here."
	noBits         = "Use arithmetic: MOD(flags DIV 4, 2) is the bit with the value 4."
	noXML          = "Select the whole value and read it yourself."
	noSequence     = "Select MAX of the key: SELECT MAX(id) FROM the table."
	noMetadata     = "Ask about the data only; list_data_sources tells the server's flavour."
)

// instead says what to write for a function that isn't allowed: one of another
// database, or one of MySQL that isn't offered.
var instead = table(insteadOf)

var insteadOf = map[string]string{
	"STRFTIME FORMAT_DATE FORMAT_DATETIME FORMAT_TIMESTAMP DATE_TO_STRING": useDateFormat,
	"TO_CHAR": "In MySQL use DATE_FORMAT(date, '%Y-%m') or FORMAT(number, 2).",
	"TO_DATE PARSE_DATE PARSE_DATETIME DATE_PARSE STRPTIME":                           useStrToDate,
	"TO_TIMESTAMP PARSE_TIMESTAMP":                                                    "In MySQL use STR_TO_DATE(text, '%Y-%m-%d %H:%i:%s').",
	"TO_NUMBER TO_DECIMAL TO_DOUBLE":                                                  "In MySQL use CAST(text AS DECIMAL(20,4)).",
	"DATE_TRUNC TIMESTAMP_TRUNC DATETIME_TRUNC DATETRUNC":                             useTruncated,
	"DATE_PART DATEPART":                                                              useExtract,
	"DATENAME TO_DAY":                                                                 "In MySQL use DAYNAME(date) or MONTHNAME(date).",
	"DATEADD ADD_MONTHS ADD_DAYS DATE_ADD_DAYS TIMESTAMP_ADD DATETIME_ADD":            useDateAdd,
	"TIMESTAMP_SUB DATETIME_SUB":                                                      "In MySQL use DATE_SUB(date, INTERVAL 1 DAY).",
	"DATE_DIFF DATETIME_DIFF TIMESTAMP_DIFF DAYS_BETWEEN MONTHS_BETWEEN DATEDIFF_BIG": useDiff,
	"JULIANDAY": "In MySQL use DATEDIFF(a, b), or TO_DAYS(date).",
	"DATETIME":  "In MySQL use NOW(), or CAST(text AS DATETIME).",
	"GETDATE GETUTCDATE CURRENT_DATETIME SYSDATETIME TODAY": "In MySQL use NOW(), or CURDATE() for the day.",
	"SYSDATE CLOCK_TIMESTAMP STATEMENT_TIMESTAMP":           "Use NOW(), the time of the statement.",
	"EOMONTH": "In MySQL use LAST_DAY(date).",
	"AGE":     "In MySQL use TIMESTAMPDIFF(YEAR, a, b).",
	"TO_UNIXTIME UNIXEPOCH EPOCH UNIX_SECONDS UNIX_MILLIS": "In MySQL use UNIX_TIMESTAMP(date).",
	"WEEKNUM ISO_WEEK":                "In MySQL use WEEK(date, 3).",
	"TRY_CAST SAFE_CAST TRY_CONVERT":  useCast,
	"INT TO_INT":                      "In MySQL use FLOOR(a), or CAST(a AS SIGNED).",
	"DIVIDE":                          "In MySQL write a / b.",
	"SAFE_DIVIDE DIV0":                "In MySQL write a / NULLIF(b, 0).",
	"SUBTRACT":                        "In MySQL write a - b.",
	"ADD":                             "In MySQL write a + b.",
	"MULTIPLY":                        "In MySQL write a * b.",
	"SQUARE":                          "In MySQL write a * a.",
	"CBRT":                            "In MySQL use POW(a, 1 / 3).",
	"TRUNC":                           "In MySQL use TRUNCATE(number, decimals) or DATE(datetime).",
	"NVL":                             "In MySQL use IFNULL(a, b).",
	"NVL2":                            "In MySQL use IF(a IS NOT NULL, b, c).",
	"ZEROIFNULL":                      "In MySQL use IFNULL(a, 0).",
	"NULLIFZERO":                      "In MySQL use NULLIF(a, 0).",
	"IIF IFF":                         "In MySQL use IF(condition, a, b).",
	"DECODE CASEWHEN":                 "In MySQL use CASE a WHEN b THEN c END.",
	"ISNUMERIC":                       "Compare with a range, as in a BETWEEN 0 AND 999.",
	"LEN LENGTHB TEXTLEN":             "In MySQL use CHAR_LENGTH(text).",
	"CHARINDEX STRPOS PATINDEX INDEX": useLocate,
	"CONTAINS STARTSWITH STARTS_WITH ENDSWITH ENDS_WITH": useLike,
	"CONCATENATE PRINTF":                            "In MySQL use CONCAT(a, b).",
	"SPLIT_PART STRING_SPLIT STRING_TO_ARRAY SPLIT": useSplit,
	"STRING_AGG LISTAGG ARRAY_AGG GROUPCONCAT WM_CONCAT JSON_AGG JSONB_AGG JSON_GROUP_ARRAY XMLAGG LIST_AGG STR_AGG": useGroupConcat,
	"JSON_ARRAYAGG JSON_OBJECTAGG JSON_OBJECT_AGG":                                                                   useGroupConcat,
	"STUFF OVERLAY":                    "In MySQL use INSERT(text, position, length, replacement).",
	"TRANSLATE":                        "In MySQL use REPLACE(text, 'a', 'b'), once for each character.",
	"INITCAP":                          "In MySQL use CONCAT(UPPER(LEFT(a, 1)), LOWER(SUBSTRING(a, 2))).",
	"REPLICATE REPEAT SPACE LPAD RPAD": noPadding,
	"RANDOM RAND RANDOM_BYTES UNIFORM": noRandom,
	"UNNEST EXPLODE GENERATE_SERIES ARRAY ARRAY_LENGTH CARDINALITY FLATTEN":              noArrays,
	"MEDIAN PERCENTILE_CONT PERCENTILE_DISC QUANTILE APPROX_PERCENTILE APPROX_QUANTILES": useOffset,
	"MODE": "Group by the value and take ORDER BY COUNT(*) DESC LIMIT 1.",
	"APPROX_COUNT_DISTINCT APPROX_DISTINCT COUNT_DISTINCT COUNTDISTINCT UNIQ": "In MySQL use COUNT(DISTINCT a).",
	"COUNTIF COUNT_IF SUMIF SUM_IF":                                           useCase,
	"TOTAL":                                                                   "In MySQL use SUM(a).",
	"BOOL_OR LOGICAL_OR":                                                      "In MySQL use MAX(condition).",
	"BOOL_AND LOGICAL_AND EVERY":                                              "In MySQL use MIN(condition).",
	"FIRST LAST MAX_BY MIN_BY ARG_MAX ARG_MIN FIRST_VALUE LAST_VALUE NTH_VALUE": useFirst,
	"ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE":                   useRanking,
	"LAG LEAD": useNeighbour,
	"STD STDDEV STDDEV_POP STDDEV_SAMP STDEV STDEVP":                                                useDeviation,
	"VARIANCE VAR_POP VAR_SAMP VAR VARP VARIANCE_POP":                                               useVariance,
	"BIT_AND BIT_OR BIT_XOR MAKE_SET EXPORT_SET":                                                    noBits,
	"JSON_VALUE JSON_EXTRACT_PATH_TEXT JSON_EXTRACT_SCALAR JSON_EXTRACT_STRING GET_JSON_OBJECT":     useJSONText,
	"JSON_QUERY JSON_EXTRACT_PATH JSONB_EXTRACT_PATH":                                               useJSON,
	"JSON_ARRAY_LENGTH JSONB_ARRAY_LENGTH":                                                          "In MySQL use JSON_LENGTH(doc, '$.list').",
	"JSON_OBJECT_KEYS":                                                                              "In MySQL use JSON_KEYS(doc).",
	"JSON_OVERLAPS JSON_SEARCH JSON_EXISTS":                                                         "Use JSON_CONTAINS(doc, '1', '$.key') or JSON_CONTAINS_PATH(doc, 'one', '$.key').",
	"JSON_OBJECT JSON_BUILD_OBJECT JSONB_BUILD_OBJECT TO_JSON ROW_TO_JSON STRUCT MAP":               useColumns,
	"JSON_SET JSON_INSERT JSON_REPLACE JSON_REMOVE JSON_MERGE JSON_MERGE_PATCH JSON_MERGE_PRESERVE": useJSON,
	"JSON_ARRAY_APPEND JSON_ARRAY_INSERT":                                                           useJSON,
	"JSON_PRETTY JSON_COMPACT JSON_DETAILED JSON_LOOSE JSON_STORAGE_SIZE JSON_STORAGE_FREE":         "Select the document itself.",
	"JSON_SCHEMA_VALID JSON_SCHEMA_VALIDATION_REPORT":                                               "Use JSON_VALID(doc), or read the document with JSON_EXTRACT(doc, '$.key').",
	"JSON_TABLE": "Read elements one by one with JSON_EXTRACT(doc, '$.list[0]').",
	"CHAR CHR":   "Write the character itself in quotes.",
	"INTERVAL":   "Use CASE WHEN a < b THEN 0 WHEN a < c THEN 1 ELSE 2 END; with a date write date + INTERVAL 1 DAY.",
	"GET_FORMAT": useDateFormat,
	"MD5 SHA1":   noHash,
	"ANY_VALUE":  "Use MIN(column) or MAX(column), or group by the column too.",
	"UUID UUID_SHORT SYS_GUID NEWID UUID_TO_BIN BIN_TO_UUID":            noUUID,
	"GROUPING ROLLUP CUBE GROUPING_ID":                                  noRollup,
	"NEXTVAL LASTVAL SETVAL":                                            noSequence,
	"EXTRACTVALUE UPDATEXML":                                            noXML,
	"VALUES VALUE DEFAULT NAME_CONST":                                   "Write the column or the value itself.",
	"SLEEP BENCHMARK PG_SLEEP WAITFOR":                                  "Delete the call: nothing here may wait. To repeat a question later, call again.",
	"GET_LOCK RELEASE_LOCK RELEASE_ALL_LOCKS IS_FREE_LOCK IS_USED_LOCK": "Delete the call: reading needs no lock.",
	"LOAD_FILE": "Select from a table; files can't be read.",
	"AES_ENCRYPT AES_DECRYPT DES_ENCRYPT DES_DECRYPT ENCRYPT ENCODE COMPRESS UNCOMPRESS UNCOMPRESSED_LENGTH PASSWORD OLD_PASSWORD": noCipher,
	"DATABASE SCHEMA CURRENT_SCHEMA CURRENT_DATABASE": "Call list_data_sources or describe_schema; write the schema's name yourself where one is needed.",
	"VERSION":              noMetadata,
	"FOUND_ROWS ROW_COUNT": "Use SELECT COUNT(*) with the same FROM and WHERE; the answer also has its row_count.",
	"LAST_INSERT_ID":       noSequence,
	"MATCH":                "Use LIKE with % and _.",
	"MEMBER":               "Use JSON_CONTAINS(doc, '1', '$.list').",
}

// usage says how an allowed function is called, where people call it otherwise.
var usage = table(usageOf)

var usageOf = map[string]string{
	"DATEDIFF":                      "Write DATEDIFF(a, b) for the days from b to a; for other units TIMESTAMPDIFF(MONTH, b, a).",
	"ISNULL":                        "ISNULL(a) tests for NULL; to replace a NULL write IFNULL(a, b).",
	"DATE":                          "Write DATE(a) for the day of a date and time; today is CURDATE(), and CURDATE() - INTERVAL 7 DAY is a week ago.",
	"DATE_ADD ADDDATE":              "Write DATE_ADD(date, INTERVAL 1 DAY).",
	"DATE_SUB SUBDATE":              "Write DATE_SUB(date, INTERVAL 1 DAY).",
	"EXTRACT":                       "Write EXTRACT(unit FROM date) with YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND; DAYOFWEEK(date), DAYOFYEAR(date) and UNIX_TIMESTAMP(date) do the rest.",
	"TIMESTAMPDIFF":                 "Write TIMESTAMPDIFF(DAY, from, to), the unit without quotes.",
	"TIMESTAMPADD":                  "Write TIMESTAMPADD(DAY, 1, date), the unit without quotes.",
	"GROUP_CONCAT":                  useGroupConcat,
	"COUNT":                         "Write COUNT(*), COUNT(a) or COUNT(DISTINCT a).",
	"TRIM":                          "Write TRIM(text), or TRIM(BOTH 'x' FROM text).",
	"SUBSTRING SUBSTR MID":          "Write SUBSTRING(text, position, length).",
	"POSITION":                      "Write POSITION(part IN text).",
	"LOCATE":                        useLocate,
	"TRUNCATE":                      "Write TRUNCATE(number, decimals).",
	"IF":                            "Write IF(condition, a, b).",
	"CURDATE CURRENT_DATE UTC_DATE": "Write CURDATE().",
	"NOW CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP CURTIME CURRENT_TIME UTC_TIME UTC_TIMESTAMP": "Write NOW() or CURTIME(); the number in the parentheses may be 0 to 6.",
	"DATE_FORMAT":  "Write DATE_FORMAT(date, '%Y-%m').",
	"STR_TO_DATE":  "Write STR_TO_DATE(text, '%Y-%m-%d').",
	"JSON_EXTRACT": "Write JSON_EXTRACT(doc, '$.key') with one path; call it again for another.",
	"CONCAT_WS":    "Write CONCAT_WS(', ', a, b).",
	"LEFT RIGHT":   "Write LEFT(text, length).",
	"REPLACE":      "Write REPLACE(text, 'find', 'put').",
}

// table spreads the hints over the names that share them.
func table(byNames map[string]string) map[string]string {
	m := map[string]string{}
	for names, hint := range byNames {
		for n := range words(names) {
			m[n] = hint
		}
	}
	return m
}
