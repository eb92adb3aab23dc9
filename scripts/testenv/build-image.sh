#!/usr/bin/env bash
# build-image.sh mysql|mariadb OUT.tar.gz
#
# Makes the root file system of a small server image from Debian's packages,
# for machines that reach no image registry: the server, the libraries it loads
# (run by their own loader, so they need not match the host's), busybox, and a
# data directory initialised here so that a container is ready in a second.
# Durability is switched off throughout: the data lives for one test run.
set -euo pipefail
flavour=$1 out=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debs=$work/debs image=$work/image
db=$image/opt/db data=$image/var/lib/mysql

case $flavour in
  mysql)
    # Debian's stable releases carry no MySQL.
    suite=sid packages=(mysql-server-core libaio1t64) binary=usr/sbin/mysqld
    ;;
  mariadb)
    suite=bookworm packages=(mariadb-server-core) binary=usr/sbin/mariadbd
    ;;
  *)
    echo "build-image.sh: unknown server $flavour" >&2
    exit 2
    ;;
esac

mkdir -p "$db"/{lib,plugin,share} "$image"/{bin,etc/mysql/conf.d,docker-entrypoint-initdb.d,root,run/mysqld,tmp,var/lib/mysql-files}
chmod 1777 "$image/tmp"
"$here/unpack-debs.sh" "$suite" "$debs" "${packages[@]}" busybox-static

libraries=$(echo "$debs"/usr/lib/*-linux-gnu*)
loader=$(find "$debs" -name 'ld-linux-*.so.*' | head -n 1)
cp "$debs/$binary" "$db/server"
cp -L "$loader" "$db/ld.so"
"$loader" --library-path "$libraries:$(dirname "$(find "$debs" -name libc.so.6 | head -n 1)")" --list "$db/server" |
  awk '$3 ~ /^\// { print $3 }' | xargs -I{} cp -L {} "$db/lib/"
cp -r "$debs"/usr/share/mysql/{charsets,english} "$db/share/"

cat >"$db/flags" <<FLAGS
--user=root
--datadir=/var/lib/mysql
--lc-messages-dir=/opt/db/share
--character-sets-dir=/opt/db/share/charsets
--plugin-dir=/opt/db/plugin
--secure-file-priv=/var/lib/mysql-files
--socket=/run/mysqld/mysqld.sock
--pid-file=/run/mysqld/mysqld.pid
--skip-log-bin
--innodb-flush-method=nosync
--innodb-flush-log-at-trx-commit=0
--innodb-buffer-pool-size=64M
FLAGS

server() {
  "$db/ld.so" --library-path "$db/lib" "$db/server" --no-defaults --user=root \
    --lc-messages-dir="$db/share" --character-sets-dir="$db/share/charsets" --plugin-dir="$db/plugin" \
    --datadir="$data" --innodb-flush-method=nosync --innodb-flush-log-at-trx-commit=0 --skip-log-bin \
    --log-error="$work/server.log" "$@" || { cat "$work/server.log" >&2; return 1; }
}

# The system tables of MySQL are in the binary, those of MariaDB in SQL files
# that are fed to the server's bootstrap mode.
initialise_mysql() {
  # A smaller redo log than 32M makes the server stall.
  printf -- '--%s\n' mysqlx=OFF innodb-numa-interleave=OFF innodb-redo-log-capacity=32M >>"$db/flags"
  server --initialize-insecure --innodb-redo-log-capacity=32M
}
initialise_mariadb() {
  # The public image's server speaks utf8mb4 too.
  printf -- '--%s\n' character-set-server=utf8mb4 collation-server=utf8mb4_general_ci innodb-log-file-size=32M >>"$db/flags"
  mkdir -p "$data/mysql"
  {
    printf '%s;\n' 'CREATE DATABASE IF NOT EXISTS mysql' 'USE mysql' 'SET @auth_root_socket=NULL'
    # The accounts named after the building machine are left out.
    local script
    for script in system_tables performance_tables system_tables_data sys_schema; do
      sed '/@current_hostname/d' "$debs/usr/share/mysql/mysql_$script.sql"
    done
  } | server --bootstrap --innodb-log-file-size=32M --enforce-storage-engine= >/dev/null
}
"initialise_$flavour"

busybox=$(find "$debs" -type f -path '*/bin/busybox' | head -n 1)
cp "$busybox" "$image/bin/busybox"
for tool in sh cat sed ls sleep; do ln -s busybox "$image/bin/$tool"; done
echo 'root:x:0:0:root:/root:/bin/sh' >"$image/etc/passwd"
echo 'root:x:0:' >"$image/etc/group"
install -m 0755 "$here/entrypoint.sh" "$image/bin/entrypoint"

tar -C "$image" -c . | gzip -1 >"$out.part"
mv "$out.part" "$out"
