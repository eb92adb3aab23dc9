package config

import (
	"regexp"

	"gopkg.in/yaml.v3"
)

// secret is a reference to a secret. A value written into the file doesn't load,
// and is never repeated in a mistake.
type secret struct {
	scalar[Secret]
	ref section[secretKeys]
}

func (s *secret) keys(pattern string) []string { return s.ref.keys(pattern) }

func (s *secret) read(r *reader, n *yaml.Node, at place) {
	s.place, s.present = at, true
	const form = "write a reference, {env: NAME} for an environment variable or {file: PATH} for a file"
	switch {
	case n.Kind == yaml.AliasNode:
	case isNull(n):
		r.fail(at, "has no value; %s", form)
	case n.Kind == yaml.ScalarNode:
		r.fail(at, "a value in the config file is not accepted; %s", form)
	case n.Kind != yaml.MappingNode:
		r.fail(at, "must not be %s; %s", kindOf(n), form)
	default:
		s.ref.read(r, n, at)
		s.decide(r, form)
	}
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (s *secret) decide(r *reader, form string) {
	env, file := &s.ref.v.Env, &s.ref.v.File
	switch {
	case env.present && file.present:
		r.fail(s.place, "env and file exclude each other")
	case !env.present && !file.present:
		r.fail(s.place, "names neither env nor file; %s", form)
	case env.ok && !envName.MatchString(env.v):
		r.fail(env.place, "must be the name of an environment variable (letters, digits and _), not the secret itself")
	case file.ok && !isPath(file.v):
		r.fail(file.place, "must be the path of a file")
	case env.ok || file.ok:
		s.set(Secret{Env: env.v, File: file.v}, true)
	}
}
