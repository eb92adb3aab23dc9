package mysqltest

import (
	"fmt"
	"strings"
)

// A rewrite is one place where a script means something else to MariaDB.
type rewrite struct{ file, mysql, mariadb string }

// rewritesForMariaDB make MariaDB hold the same data as MySQL does. MariaDB
// skips comments that ask for MySQL 5.7 and later, so what they hold is
// written out: else the column address.location would be missing.
var rewritesForMariaDB = []rewrite{
	{"sakila/sakila.sql.gz",
		"/*!50705 location GEOMETRY */ /*!80003 SRID 0 */ /*!50705 NOT NULL,*/",
		"location GEOMETRY NOT NULL,"},
	{"sakila/sakila.sql.gz", "/*!50705 SPATIAL KEY `idx_location` (location),*/", "SPATIAL KEY `idx_location` (location),"},
	// In the rows of address the comment ends in the comma before the next
	// column.
	{"sakila/sakila.sql.gz", "/*!50705 0x", "0x"},
	{"sakila/sakila.sql.gz", ",*/'2", ",'2"},
	// The public image of some versions has latin1 as its default.
	{"sakila/sakila.sql.gz", "CREATE SCHEMA sakila;", "CREATE SCHEMA sakila CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;"},
}

// forMariaDB applies the rewrites of a file. One that finds nothing to do is
// an error: the file has changed and the rewrite with it must.
func forMariaDB(file, script string) (string, error) {
	for _, r := range rewritesForMariaDB {
		if r.file != file {
			continue
		}
		if !strings.Contains(script, r.mysql) {
			return "", fmt.Errorf("%s: nothing to rewrite for MariaDB at %q", file, r.mysql)
		}
		script = strings.ReplaceAll(script, r.mysql, r.mariadb)
	}
	return script, nil
}
