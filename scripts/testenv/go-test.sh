#!/usr/bin/env bash
# go-test.sh [argument of go test]...
#
# The tests themselves, once the servers are up: those asked for, or those of
# every module. A failure in one module does not keep the next from running.
set -euo pipefail
if [ $# -gt 0 ]; then exec go test -race -timeout 30m "$@"; fi
status=0
go test -race -timeout 30m ./... || status=$?
if [ -e cmd/demo/go.mod ]; then go test -C cmd/demo ./... || status=$?; fi
exit "$status"
