# shellcheck shell=bash
# The Docker engine: the one that runs, or on a bare Debian machine one that is
# installed and started for this run. Sourced by scripts/test, which sets tmp.

: "${tmp:?}"

die() {
  echo "scripts/test: $*" >&2
  exit 1
}

bare_debian() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; }

engine_answers() { docker version >/dev/null 2>&1; }

engine_need() {
  if engine_answers; then return; fi
  bare_debian || die "no Docker engine answers: start one, or run as root on Debian to have it installed"
  [ -z "${DOCKER_HOST:-}" ] || die "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST"
  install_missing
  # Where systemd runs, installing the engine has started it.
  if engine_answers; then
    engine_is_service=yes
    return
  fi
  # In a session of its own, so that Ctrl-C stops the tests first and the
  # engine only after their containers are gone. It must not hold our lock.
  setsid dockerd --host unix:///var/run/docker.sock --pidfile "$tmp/dockerd.pid" >"$tmp/dockerd.log" 2>&1 9>&- &
  engine_pid=$!
  local i
  for ((i = 0; i < 300; i++)); do
    if engine_answers; then return; fi
    kill -0 "$engine_pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$tmp/dockerd.log" >&2
  die "dockerd did not start"
}

# The race detector needs a C compiler beside the engine.
install_missing() {
  local packages=()
  command -v dockerd >/dev/null || packages+=(docker.io)
  command -v iptables >/dev/null || packages+=(iptables)
  command -v "$(go env CC)" >/dev/null || packages+=(gcc libc6-dev)
  [ ${#packages[@]} -gt 0 ] || return 0
  echo "scripts/test: installing ${packages[*]}" >&2
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${packages[@]}" >"$tmp/apt.log" 2>&1 ||
    { tail -n 20 "$tmp/apt.log" >&2; die "apt-get install failed"; }
}

# Stops what engine_need started, and nothing else.
engine_stop() {
  if [ -n "${engine_is_service:-}" ]; then systemctl stop docker.socket docker containerd; fi
  if [ -z "${engine_pid:-}" ]; then return; fi
  kill -TERM "$engine_pid" 2>/dev/null || true
  wait "$engine_pid" 2>/dev/null || true
  engine_pid=
}

# Debian's build of the engine needs these before a container is started: see
# internal/mysqltest/engine.go.
engine_settings() {
  case $(docker version --format '{{.Server.Version}}') in
    *dfsg*)
      export TESTCONTAINERS_RYUK_DISABLED=true
      export TESTCONTAINERS_HOST_OVERRIDE=${TESTCONTAINERS_HOST_OVERRIDE:-127.0.0.1}
      ;;
  esac
}
