# shellcheck shell=bash
# The server images: those named in the environment, else the public ones, else
# ones built from Debian's packages. Sourced by scripts/test, which sets tmp.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/mysql-evidence

image_var() {
  case $1 in
    mysql) echo MYSQL_EVIDENCE_MYSQL_IMAGE ;;
    mariadb) echo MYSQL_EVIDENCE_MARIADB_IMAGE ;;
  esac
}

public_image() {
  case $1 in
    mysql) echo mysql:8.4 ;;
    mariadb) echo mariadb:10.11 ;;
  esac
}

# A changed recipe is another image.
built_image() {
  local recipe
  recipe=$(cat scripts/testenv/{unpack-debs,build-image,entrypoint}.sh | sha256sum | cut -c1-12)
  echo "mysql-evidence-test/$1:$recipe"
}

image_here() { docker image inspect "$1" >/dev/null 2>&1; }

# Names an image of each server in the environment, building what is missing.
images_need() {
  local flavour var image builds=()
  for flavour in mysql mariadb; do
    var=$(image_var "$flavour")
    if [ -n "${!var:-}" ]; then continue; fi
    image=$(public_image "$flavour")
    if ! image_here "$image"; then
      if bare_debian && image_here "$(built_image "$flavour")"; then
        image=$(built_image "$flavour")
      elif ! docker pull --quiet "$image" >/dev/null 2>"$tmp/pull"; then
        bare_debian || die "$(cat "$tmp/pull"); can't pull $image: set $var to an image you have, or run as root on Debian to have one built"
        image=$(built_image "$flavour")
        image_build "$flavour" "$image" &
        builds+=($!)
      fi
    fi
    export "$var=$image"
  done
  local build
  for build in "${builds[@]+"${builds[@]}"}"; do
    wait "$build" || die "an image could not be built"
  done
}

image_build() {
  local flavour=$1 image=$2
  local archive=$cache/$flavour-${image##*:}.tar.gz
  if [ ! -e "$archive" ]; then
    echo "scripts/test: building $image from Debian's packages" >&2
    mkdir -p "$cache"
    rm -f "$cache/$flavour"-*.tar.gz
    scripts/testenv/build-image.sh "$flavour" "$archive"
  fi
  docker import --change 'ENTRYPOINT ["/bin/entrypoint"]' --change 'CMD ["mysqld"]' \
    --change 'EXPOSE 3306' --change 'ENV PATH=/bin' "$archive" "$image" >/dev/null
}
