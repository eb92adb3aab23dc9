#!/bin/sh
# Entry point of the locally built test images. It honours what the tests and
# the demo rely on in the public images: the root password, a first database
# and user, SQL files in /docker-entrypoint-initdb.d, a my.cnf in
# /etc/mysql/conf.d, and arguments handed on to the server.
# The MARIADB_ names are accepted beside the MYSQL_ ones, as in MariaDB's image.
set -eu

env_of() { eval "printf %s \"\${MARIADB_$1:-\${MYSQL_$1:-}}\""; }
quoted() { printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"; }

password=$(env_of ROOT_PASSWORD) database=$(env_of DATABASE) user=$(env_of USER)
if [ -z "$password" ] && [ -z "$(env_of ALLOW_EMPTY_PASSWORD)$(env_of ALLOW_EMPTY_ROOT_PASSWORD)" ]; then
  echo "set MYSQL_ROOT_PASSWORD or MYSQL_ALLOW_EMPTY_PASSWORD" >&2
  exit 1
fi

# The server runs this file before it listens, so whoever can connect finds
# everything in place.
init=/tmp/init.sql
{
  echo "CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY '$(quoted "$password")';"
  echo "GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;"
  echo "ALTER USER root@localhost IDENTIFIED BY '$(quoted "$password")';"
  if [ -n "$database" ]; then echo "CREATE DATABASE IF NOT EXISTS \`$database\`;"; fi
  if [ -n "$user" ]; then
    echo "CREATE USER IF NOT EXISTS '$(quoted "$user")'@'%' IDENTIFIED BY '$(quoted "$(env_of PASSWORD)")';"
    if [ -n "$database" ]; then echo "GRANT ALL ON \`$database\`.* TO '$(quoted "$user")'@'%';"; fi
  fi
  if [ -n "$database" ]; then echo "USE \`$database\`;"; fi
  for script in /docker-entrypoint-initdb.d/*.sql; do
    if [ -e "$script" ]; then cat "$script"; fi
  done
} >"$init"

case "${1:-}" in mysqld | mariadbd) shift ;; esac
defaults=--no-defaults
if [ -e /etc/mysql/conf.d/my.cnf ]; then defaults=--defaults-file=/etc/mysql/conf.d/my.cnf; fi
# shellcheck disable=SC2046 # flags holds one word a line, none with spaces
exec /opt/db/ld.so --library-path /opt/db/lib /opt/db/server "$defaults" $(cat /opt/db/flags) --init-file="$init" "$@"
