// Package testdata holds the databases that tests run on. They
// are embedded so that a test finds them whatever its working directory is;
// nothing outside tests may import it.
package testdata

import "embed"

// Files is the content of the folders beside this file.
//
//go:embed attacks/attacks.jsonl.gz questions/questions.jsonl.gz robustness/robustness.jsonl.gz sakila traps
var Files embed.FS
