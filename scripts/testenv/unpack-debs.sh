#!/usr/bin/env bash
# unpack-debs.sh SUITE DIR PACKAGE...
#
# Downloads packages of one Debian suite, with everything they depend on, and
# unpacks them under DIR. Nothing is installed and the host's own apt state is
# neither used nor changed: apt is given a private one with an empty status
# file, so that it resolves the whole closure down to libc. No library is named
# here, which is what keeps this working while unstable moves.
set -euo pipefail
suite=$1 dir=$2
shift 2

# shellcheck disable=SC2016 # the fields are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' |
  awk '$2 !~ /[-\/]/ && $1 ~ /\/debian\/?$/ { print $1; exit }')
: "${mirror:?no Debian mirror among the sources of apt}"

mkdir -p "$dir"
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state"/{lists,cache/archives}/partial
: >"$state/status"
cat >"$state/only.sources" <<SOURCES
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES

private_apt() {
  apt-get -qq \
    -o Dir::Etc::SourceList="$state/only.sources" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::PreferencesParts=/dev/null -o Dir::State::Lists="$state/lists" \
    -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
    -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User=root \
    -o APT::Install-Recommends=false -o Debug::NoLocking=true "$@"
}

private_apt update
private_apt -y --download-only install "$@" >/dev/null

# Perl comes along for maintainer scripts that never run here.
unpack() {
  dpkg-deb --fsys-tarfile "$1" | tar -x -C "$dir" --keep-directory-symlink \
    --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale
}
export -f unpack
export dir
# shellcheck disable=SC2016 # the inner shell expands it
find "$state/cache/archives" -name '*.deb' ! -name 'perl*' ! -name 'libperl*' -print0 |
  xargs -0 -n1 -P"$(nproc)" bash -euo pipefail -c 'unpack "$1"' bash
