package authz_test

// genForms are the expressions of each kind: n number, s text, d date, t time,
// j JSON, b truth value. A slot in braces is filled by slot, one alternative of
// [a|b|c] is taken, and ~ marks an operator, which mostly gets parentheses round
// it and sometimes doesn't.
//
// Every default function stands here with every number of arguments that it
// takes; a test counts.
var genForms = map[byte][]string{
	'n': {
		"~{n}[ + | - | * | / | DIV | MOD | % |+|-|*]{n}", "~{n}[ + | - | * | / | DIV | % ]{n}", "~{n}[ + | - | * ]{n}[ + | - | * | / ]{n}",
		"~-{n}", "~- {n}", "~- -{n}", "~-(-{n})", "-{i}", "({b})", "({n})",
		"[ABS|CEIL|CEILING|FLOOR|SIGN|SQRT|ROUND|LN|LOG|LOG2|LOG10]({n})", "EXP({i})", "EXP(MOD({n}, 5))",
		"ROUND({n}, [{i}|-1|{n}])", "LOG([2|{n}], {n})", "MOD({n}, {n})", "[POW|POWER]([{i}|-2|{n}], {i})", "TRUNCATE({n}, [{i}|-1])",
		"[GREATEST|LEAST]({n}, {n})", "[GREATEST|LEAST]({n}, {n}, {n})", "COALESCE({n})", "COALESCE({n}, {n})", "COALESCE({n}, {n}, {n})",
		"[IFNULL|NULLIF]({n}, {n})", "IF({b}, {n}, {n})", "ISNULL([{n}|{s}|{d}])", "ISNULL([{b}|{j}|{t}])",
		"CASE WHEN {b} THEN {n} END", "CASE WHEN {b} THEN {n} WHEN {b} THEN {n} ELSE {n} END", "CASE {n} WHEN {n} THEN {n} WHEN {n} THEN {n} END",
		"CASE {s} WHEN {s} THEN {n} ELSE {n} END",
		"[LENGTH|OCTET_LENGTH|CHAR_LENGTH|CHARACTER_LENGTH|BIT_LENGTH|ASCII]({s})", "[FIELD|LOCATE|INSTR|FIND_IN_SET|STRCMP]({s}, {s})",
		"FIELD({s}, {s}, {s}, {l})", "LOCATE({s}, {s}, {i})", "POSITION({s} IN {s})", "FIELD({n}, {n}, {n})",
		"[YEAR|MONTH|DAY|DAYOFMONTH|QUARTER|WEEKDAY|WEEKOFYEAR|DAYOFWEEK|DAYOFYEAR|TO_DAYS|WEEK|YEARWEEK]({d})",
		"[HOUR|MINUTE|SECOND|MICROSECOND|TIME_TO_SEC]([{d}|{t}])", "[WEEK|YEARWEEK]({d}, {i})", "UNIX_TIMESTAMP([{d}|])", "DATEDIFF({d}, {d})",
		"EXTRACT({u} FROM {d})", "EXTRACT({w} FROM {d})", "EXTRACT([HOUR|MINUTE_SECOND|HOUR_SECOND] FROM {t})", "TIMESTAMPDIFF({u}, {d}, {d})",
		"[JSON_LENGTH|JSON_VALID]({j})", "JSON_LENGTH({j}, {p})", "JSON_VALID({s})", "JSON_CONTAINS({j}, [{j}|'1'])",
		"JSON_CONTAINS({j}, '1', {p})", "JSON_CONTAINS_PATH({j}, ['one'|'all'], {p})", "JSON_CONTAINS_PATH({j}, ['one'|'all'], {p}, {p})",
		"CAST([{n}|{s}|{d}|{t}] AS [SIGNED|UNSIGNED|SIGNED INTEGER|DECIMAL|DECIMAL(5)|DECIMAL(10,2)|DECIMAL(20, 10)|DOUBLE])",
		"CONVERT([{n}|{s}], [SIGNED|UNSIGNED|DECIMAL(12,3)|DOUBLE])", "CAST({n} AS [FLOAT|REAL])",
	},
	's': {
		"[UPPER|UCASE|LOWER|LCASE|TRIM|LTRIM|RTRIM|REVERSE]({s})", "CONCAT({s})", "CONCAT([{s}|{n}|{d}], {s})", "CONCAT({s}, {s}, [{n}|{t}])", "({s})",
		"CONCAT_WS([', '|''|'\\''|'ž'], {s})", "CONCAT_WS([', '|'-'], {s}, [{s}|{n}])", "ELT({n}, {s})", "ELT({i}, {s}, {s})", "ELT({i}, {s}, {s}, {s})", "INSERT({s}, {i}, {i}, {s})",
		"FORMAT({n}, {i})", "FORMAT({n}, 2, 'de_DE')", "[LEFT|RIGHT]({s}, [{i}|{n}])", "[SUBSTRING|SUBSTR]({s}, {i})", "[SUBSTRING|SUBSTR|MID]({s}, [{i}|-2], {i})",
		"[SUBSTRING|SUBSTR]({s} FROM {i})", "[SUBSTRING|SUBSTR]({s} FROM [{i}|-3] FOR {i})", "REPLACE({s}, ['a'|'paid'|'\\''|'ž'], ['b'|''])",
		"SUBSTRING_INDEX({s}, [' '|'a'|{s}], [1|-1|{i}])", "TRIM([BOTH|LEADING|TRAILING] [{l}|' '|'a'|'p'|{s}] FROM {s})", "TRIM([BOTH|LEADING|TRAILING] FROM {s})",
		"TRIM([{l}|'O'|'p'] FROM {s})", "CASE WHEN {b} THEN {s} ELSE {s} END", "CASE {n} WHEN {n} THEN {s} WHEN {i} THEN {s} END", "IF({b}, {s}, {s})",
		"[IFNULL|NULLIF|COALESCE]({s}, {s})", "[GREATEST|LEAST]({s}, {s}, {s})", "DATE_FORMAT({d}, {f})", "TIME_FORMAT([{t}|{d}], {f})", "[DAYNAME|MONTHNAME]({d})",
		"FROM_UNIXTIME({n}, {f})", "CAST([{n}|{s}|{d}|{t}|{j}] AS [CHAR|CHAR(2)|CHAR(30)])", "CONVERT([{n}|{s}|{d}], [CHAR|CHAR(4)])",
		"JSON_UNQUOTE({j})", "JSON_TYPE({j})", "JSON_UNQUOTE(JSON_EXTRACT({J}, {p}))", "{>>}", "DATE_ADD({s}, INTERVAL {i} {u})",
	},
	'd': {
		"[DATE_ADD|DATE_SUB|ADDDATE|SUBDATE|date_add]({d}, INTERVAL [{i}|{n}|-{i}] {u})", "[DATE_ADD|DATE_SUB|ADDDATE|SUBDATE]({d}, INTERVAL {v} {w})",
		"~{d}[ + | - ]INTERVAL [{i}|{n}|{n}|-1|2.5] {u}", "~{D}[ + | - ]INTERVAL {v} {w}", "~{d} + INTERVAL 1 DAY - INTERVAL {i} {u}",
		"[ADDDATE|SUBDATE]({d}, [{i}|{n}])", "TIMESTAMPADD({u}, [{i}|{n}|-1], {d})", "[DATE|LAST_DAY|TIMESTAMP]({d})", "TIMESTAMP({d}, {t})", "({d})",
		"[CURDATE()|CURRENT_DATE|CURRENT_DATE()|UTC_DATE()|UTC_DATE|NOW()|CURRENT_TIMESTAMP|CURRENT_TIMESTAMP()|LOCALTIME|LOCALTIME()|LOCALTIMESTAMP|LOCALTIMESTAMP()|UTC_TIMESTAMP()|UTC_TIMESTAMP]",
		"[NOW|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP|UTC_TIMESTAMP]({y})", "FROM_DAYS([{n}|738000])", "FROM_UNIXTIME([{n}|1700000000|1.5])",
		"STR_TO_DATE([{s}|'2024-05-01'|'01,5,2013 08:30'], {f})", "MAKEDATE([2024|{n}], [{i}|{n}])", "CAST([{d}|{s}|{d}] AS [DATE|DATETIME|DATETIME(3)|DATETIME(0)])",
		"CONVERT({d}, [DATE|DATETIME(6)])", "[ADDTIME|SUBTIME]({d}, {t})", "CASE WHEN {b} THEN {d} ELSE {d} END", "[IFNULL|COALESCE|NULLIF]({d}, {d})",
		"IF({b}, {d}, {d})", "[GREATEST|LEAST]({d}, {d})",
	},
	't': {
		"[CURTIME()|CURRENT_TIME|CURRENT_TIME()|UTC_TIME()|UTC_TIME]", "[CURTIME|CURRENT_TIME|UTC_TIME]({y})", "TIME([{d}|{t}])", "SEC_TO_TIME({n})",
		"TIMEDIFF({d}, {d})", "TIMEDIFF({t}, {t})", "[ADDTIME|SUBTIME]({t}, [{t}|'01:00:00.5'])", "CAST([{d}|{t}|{s}] AS [TIME|TIME(3)])", "IFNULL({t}, {t})",
		"IF({b}, {t}, {t})", "DATE_ADD({T}, INTERVAL {i} [HOUR|SECOND|MICROSECOND])",
	},
	'j': {
		"JSON_EXTRACT({j}, {p})", "JSON_EXTRACT({J}, {p})", "{>}", "{>}", "JSON_KEYS({j})", "JSON_KEYS({J}, {p})", "IF({b}, {J}, {J})", "COALESCE({J}, {J})",
	},
	'b': {
		"~{b}[ AND | OR | XOR | and | && | or ]{b}", "~{b}[ AND | OR | XOR ]{b}[ AND | OR | XOR ]{b}", "~({b}[ AND | OR ]{b})[ AND | OR | XOR ]{b}",
		"~[NOT |not |NOT NOT ]{b}", "~NOT ({b})", "~{n}[ = | <> | != | < | <= | > | >= | <=> |=|<|>=]{n}", "~{s}[ = | <> | < | <= | > | >= | <=> ]{s}",
		"~{d}[ = | <> | < | <= | > | >= | <=> ]{d}", "~{t}[ = | < | >= | <=> ]{t}", "~{n}[ = | < | <=> ]{s}", "~{j}[ = | <> ][{n}|{s}]", "~{n} = {n} = {n}", "~{n} < {n} >= {n}",
		"~[{n}|{s}|{d}|{j}] IS[ | NOT ]NULL", "~[{b}|{n}] IS[ | NOT ][TRUE|FALSE]", "~({b} IS NOT TRUE) IS FALSE", "~({b})[ = 1| LIKE 1| IN (0, 1)| BETWEEN 0 AND 1| + 1]",
		"~{s}[ | NOT ]LIKE ['%a%'|'_a_'|'50\\\\% %'|'%\\\\_%'|'p___'|{s}|CONCAT('%', {s})]",
		"~{s}[ | NOT ]LIKE [{q}|{s}] ESCAPE '!'", "~{s} LIKE {q} ESCAPE ['é'|'\\\\'|'''']", "~{n}[ | NOT ]LIKE ['1%'|{i}]",
		"~{s}[ | NOT ]IN ({s})", "~{s}[ | NOT ]IN ({s}, {s}, 'paid')", "~{n}[ | NOT ]IN ({n}, {n})", "~{n}[ | NOT ]IN ({i}, {i}, {i}, NULL)", "~{d} IN ({d}, {d})",
		"~{n}[ | NOT ]BETWEEN {n} AND {n}", "~{d}[ | NOT ]BETWEEN {d} AND {d}", "~{s} BETWEEN {s} AND {s}", "~{n} BETWEEN {i} AND {n} AND {b}", "~({n} BETWEEN {i} AND {n}) = {b}",
		"[TRUE|FALSE|NULL|{n}]", "({b})", "IF({b}, {b}, {b})", "CASE WHEN {b} THEN {b} ELSE {b} END",
	},
}

// genLeaves are the literals of each kind. Integers that reach the edge of 64
// bits, texts that quote or escape, dates that don't exist.
var genLeaves = map[byte][]string{
	'n': {"0", "1", "2", "7", "10", "20", "2.5", ".5", "5.", "1e1", "1.5E-2", "00012", "9223372036854775807", "18446744073709551615", "NULL", "TRUE", "false", "?", "?", "?"},
	's': {"'paid'", "'open'", "'it''s ok'", `'50\% off\_x'`, `'back\\slash'`, "'Čeněk'", "''", `"x"`, `"it's"`, "NULL", `'a\nb'`, `'\'x'`, "'Oslo'", "'12abc'", "'%'", "'3'", "?", "?", "?"},
	'd': {"'2024-02-29'", "'2024-05-01 08:00:00'", "'2024-05-01 08:00:00.123456'", "'2023-02-30'", "'20240501'", "NULL", "?", "?"},
	't': {"'10:11:12'", "'-00:30:00.25'", "'838:59:59'", "'08:30'", "NULL", "?"},
	'j': {`'{"x": 1}'`, `'[1, 2, "q"]'`, "'null'", "NULL"},
	'b': {"TRUE", "FALSE", "NULL", "1", "0"},
}

// genParams are the values that a placeholder of each kind gets.
var genParams = map[byte][]any{
	'n': {int64(0), int64(1), int64(2), int64(-3), 5, uint64(18446744073709551615), 2.5, -1e-3, true, false, nil},
	's': {"paid", "open", "O", "it's ok", "50% off_x", "back\\slash", "Čeněk", "", "3", nil, int64(2)},
	'd': {"2024-05-01", "2024-05-01 08:00:00", "2024-02-29 11:30:15", nil},
	't': {"10:11:12", "-00:00:01", nil},
}

// genSlots are the slots that aren't expressions.
var genSlots = map[byte][]string{
	'i': {"0", "1", "2", "3", "4", "5", "6"},
	'y': {"0", "1", "3", "6"}, // a digit that must be a literal
	'l': {"'x'", "'paid'", "'a'", "'  '", "'ž'"},
	'u': {"MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "day"},
	'w': {"SECOND_MICROSECOND", "MINUTE_MICROSECOND", "MINUTE_SECOND", "HOUR_MICROSECOND", "HOUR_SECOND", "HOUR_MINUTE",
		"DAY_MICROSECOND", "DAY_SECOND", "DAY_MINUTE", "DAY_HOUR", "YEAR_MONTH"},
	'q': {"'%!_%'", "'50!%%'", "'!_a!_'", "'%!%%'", "'_!__'", "'%!!%'", "'pa_d'"},
	'v': {"'1:2'", "'1 2:03'", "'1-2'", "'-1:30'", "3", "1.5"},
	'p': {"'$'", "'$.x'", "'$.y.z'", `'$."a b"'`, `'$."a b"[1]'`, "'$.list[*]'", "'$[2].x'", "'$.missing'", "'$[0]'", "'$.*'"},
	'f': {"'%Y-%m'", "'%Y-%m-%d'", "'%H:%i:%s.%f'", "'%d,%c,%Y %k:%i'", "'%W %M %e %%'", "'%x %v'", "'it''s %y'"},
}
