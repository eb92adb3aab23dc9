package function

import "strings"

// synonymsOf are the functions that have several names: those that MySQL's manual
// calls synonyms of each other, and those that differ only by how a call is
// written. The parser gives one name to some of them, and an operator who takes
// away a function means what it does, not one of its spellings.
//
// Forms without a name go with their function: date + INTERVAL with DATE_ADD,
// date - INTERVAL with DATE_SUB, % with MOD, -> with JSON_EXTRACT.
const synonymsOf = `SUBSTRING SUBSTR MID
	LOCATE POSITION
	LOWER LCASE
	UPPER UCASE
	LENGTH OCTET_LENGTH
	CHAR_LENGTH CHARACTER_LENGTH
	CEIL CEILING
	POW POWER
	NOW CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP
	CURDATE CURRENT_DATE
	CURTIME CURRENT_TIME
	DAY DAYOFMONTH
	DATE_ADD ADDDATE TIMESTAMPADD
	DATE_SUB SUBDATE
	ATAN ATAN2
	SHA SHA1`

// synonyms returns all names of the function with that upper-case name, itself
// included.
func synonyms(name string) []string {
	for line := range strings.Lines(synonymsOf) {
		if names := strings.Fields(line); words(line)[name] {
			return names
		}
	}
	return []string{name}
}
