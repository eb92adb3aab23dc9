package mysqltest

import "os"

// A flavour is a kind of server, with everything about it that differs.
type flavour struct {
	name string
	// imageVar names the environment variable that holds the container
	// image; without it the public defaultImage is used.
	imageVar, defaultImage string
	// addressVar names the environment variable that holds host:port of a
	// server which is already running and loaded.
	addressVar string
	// translate turns a script written for MySQL into this flavour's SQL.
	translate func(file, script string) (string, error)
}

var (
	mysqlServer = flavour{
		name:         "mysql",
		imageVar:     "MYSQL_EVIDENCE_MYSQL_IMAGE",
		defaultImage: "mysql:8.4",
		addressVar:   "MYSQL_EVIDENCE_TEST_MYSQL",
		translate:    func(_, script string) (string, error) { return script, nil },
	}
	mariadb = flavour{
		name:         "mariadb",
		imageVar:     "MYSQL_EVIDENCE_MARIADB_IMAGE",
		defaultImage: "mariadb:10.11",
		addressVar:   "MYSQL_EVIDENCE_TEST_MARIADB",
		translate:    forMariaDB,
	}
)

func (f flavour) image() string {
	if image := os.Getenv(f.imageVar); image != "" {
		return image
	}
	return f.defaultImage
}
