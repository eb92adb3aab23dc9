package executor

import "strings"

// flavour is what a server says that it is.
type flavour struct {
	mariadb bool
	version string // digits and dots: "8.4.3", "10.11.19"
}

// parseFlavour reads the answer to SELECT VERSION().
func parseFlavour(version string) flavour {
	end := 0
	for end < len(version) && (version[end] == '.' || version[end] >= '0' && version[end] <= '9') {
		end++
	}
	return flavour{
		mariadb: strings.Contains(strings.ToLower(version), "mariadb"),
		version: strings.Trim(version[:end], "."),
	}
}

// family is the first word of the config's flavour.
func (f flavour) family() string {
	if f.mariadb {
		return "mariadb"
	}
	return "mysql"
}

func (f flavour) String() string { return f.family() + " " + f.version }

// agrees reports whether the server is what the config says: the family, and as
// many parts of the version as are given. Which functions are native depends on
// both, and a name that isn't native would call a stored function.
func (f flavour) agrees(want string) bool {
	if want == "" {
		return true
	}
	family, version, _ := strings.Cut(want, " ")
	if family != f.family() {
		return false
	}
	return version == "" || f.version == version || strings.HasPrefix(f.version, version+".")
}

// identity is an expression that differs between servers, so that a KILL never
// goes to a server that the session isn't on.
func (f flavour) identity() string {
	if f.mariadb {
		return "CONCAT_WS('|', @@hostname, @@port, @@server_id, @@datadir, @@pid_file)"
	}
	return "CONCAT_WS('|', @@server_uuid, @@hostname, @@port, @@datadir)"
}
