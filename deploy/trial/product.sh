# shellcheck shell=bash
# What deploy/try and deploy/try-upgrade share. Sourced from the root of the repository. Gives them a folder that is removed at the end, a private engine,
# and ways to wait and to report. A script defines compose() before it starts anything.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tastegraph-trial
mkdir -p "$cache"
folder=$(mktemp -d -p "$cache")
export DOCKER_HOST=unix://$cache/engine/docker.sock DOCKER_CONFIG=$cache/docker DOCKER_BUILDKIT=0
# A process of the script that ends with it.
engine='' is_up='' caller=''

finish() {
  local status=$?
  [ -z "$caller" ] || kill "$caller" 2>/dev/null || true
  if [ -n "$engine" ]; then
    [ $status -eq 0 ] || [ -z "$is_up" ] || compose logs --no-color 2>&1 | grep -E '"level":[4-6]0|error' | tail -n 40 || true
    [ -z "$is_up" ] || compose down --volumes --timeout 5 >/dev/null 2>&1 || true
    kill "$engine" 2>/dev/null || true
    wait "$engine" 2>/dev/null || true
  fi
  umount "$folder/disk" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

# Published ports are in the network of the engine.
inside() { nsenter --target "$(cat "$cache/engine/pid")" --net "$@"; }
fail() { echo "$*" >&2; exit 1; }
is_soon() { # SECONDS COMMAND…: repeats the command until it succeeds.
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.5; done
}
timed() { # NAME COMMAND…
  local name=$1 start=$SECONDS
  shift
  "$@"
  printf '%5d s  %s\n' $((SECONDS - start)) "$name"
}

[ "$(id -u)" -eq 0 ] || { echo 'left out: a Docker engine of its own needs root'; exit 0; }
for each in dockerd slirp4netns mmdebstrap go; do
  command -v "$each" >/dev/null || { echo "left out: $each is not installed"; exit 0; }
done

start_engine() {
  deploy/trial/engine "$cache/engine" >"$folder/engine.log" 2>&1 &
  engine=$!
  is_soon 30 docker info || { cat "$folder/engine.log" "$cache/engine/dockerd.log" 2>/dev/null | tail -n 5; echo 'left out: no Docker engine can run here, see above'; engine=; exit 0; }
}

# compose up, with what compose() names.
up() {
  is_up=yes
  compose up --wait --quiet-pull >"$folder/up.log" 2>&1 || { tail -n 20 "$folder/up.log"; return 1; }
}

# An account with a key, which later calls use.
create_key() {
  local account
  account=$(compose exec -T api tastegraph-server admin create-account --name acme | grep -o 'acc_[A-Za-z0-9_-]*' | head -n 1)
  compose exec -T api tastegraph-server admin create-key --account "$account" >"$folder/key"
  TASTEGRAPH_API_KEY=$(sed -n 's/^api_key: "\(.*\)"/\1/p' "$folder/key")
  TASTEGRAPH_API_SECRET=$(sed -n 's/^api_secret: "\(.*\)"/\1/p' "$folder/key")
  export TASTEGRAPH_API_KEY TASTEGRAPH_API_SECRET TASTEGRAPH_URL=http://127.0.0.1:8080
}
