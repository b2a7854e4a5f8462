# shellcheck shell=bash
# What deploy/try, deploy/try-upgrade and deploy/try-node share. Sourced from the root of the repository. Gives them a folder that is removed at the end,
# a private engine, and ways to wait and to report. A script defines compose() before it starts anything.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tastegraph-trial
mkdir -p "$cache"
folder=$(mktemp -d -p "$cache")
export DOCKER_HOST=unix://$cache/engine/docker.sock DOCKER_CONFIG=$cache/docker DOCKER_BUILDKIT=0
# Processes of the script that end with it.
engine='' is_up='' caller='' node=''

finish() {
  local status=$?
  [ -z "$caller" ] || kill "$caller" 2>/dev/null || true
  if [ -n "$engine" ]; then
    [ $status -eq 0 ] || [ -z "$is_up" ] || explain || true
    [ -z "$node" ] || { kill "$node" && wait "$node"; } 2>/dev/null || true
    [ -z "$is_up" ] || compose down --volumes --timeout 5 >/dev/null 2>&1 || true
    kill "$engine" 2>/dev/null || true
    wait "$engine" 2>/dev/null || true
  fi
  umount "$folder/disk" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

# Why a script failed.
explain() { compose logs --no-color 2>&1 | grep -E '"level":[4-6]0|error' | tail -n 40; }
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

# Exit code 77: nothing was tried, which is not the same as passed.
[ "$(id -u)" -eq 0 ] || { echo 'left out: everything, because a private Docker engine needs root'; exit 77; }
for each in dockerd slirp4netns mmdebstrap go; do
  command -v "$each" >/dev/null || { echo "left out: everything, because $each is not installed"; exit 77; }
done

start_engine() {
  deploy/trial/engine "$cache/engine" >"$folder/engine.log" 2>&1 &
  engine=$!
  is_soon 30 docker info || { cat "$folder/engine.log" "$cache/engine/dockerd.log" 2>/dev/null | tail -n 5; echo 'left out: everything, because no Docker engine can run here, see above'; engine=; exit 77; }
}

# build FOLDER TAG: the image of the version in a folder.
build() {
  docker build --quiet --file "$1/deploy/Dockerfile" --tag "tastegraph:$2" "$1" >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log"; return 1; }
}

# check_out_previous FOLDER: the previous release, as the engine can build it.
check_out_previous() {
  local commit
  commit=$(cat deploy/previous-release)
  git cat-file -e "$commit^{commit}" || fail "The previous release, commit $commit, is not in this clone: git fetch --unshallow"
  mkdir "$1"
  git archive "$commit" | tar -x -C "$1"
  # The engine builds without BuildKit, which the first release needs: for its cache, and for the folders in its .dockerignore.
  sed -i 's/^RUN --mount=[^ ]* /RUN /' "$1/deploy/Dockerfile"
  cp .dockerignore "$1"
}

# up SERVICE…: compose up, with what compose() names; without a service, all of them.
up() {
  is_up=yes
  compose up --wait --quiet-pull "$@" >"$folder/up.log" 2>&1 || { tail -n 20 "$folder/up.log"; return 1; }
}

# An account with a key, which later calls use.
create_key() {
  local account
  account=$(administer create-account --name acme | grep -o 'acc_[A-Za-z0-9_-]*' | head -n 1)
  administer create-key --account "$account" >"$folder/key"
  TASTEGRAPH_API_KEY=$(sed -n 's/^api_key: "\(.*\)"/\1/p' "$folder/key")
  TASTEGRAPH_API_SECRET=$(sed -n 's/^api_secret: "\(.*\)"/\1/p' "$folder/key")
  export TASTEGRAPH_API_KEY TASTEGRAPH_API_SECRET TASTEGRAPH_URL=http://127.0.0.1:8080
}
administer() { compose exec -T api tastegraph-server admin "$@"; }

# README.md, "With the command line".
go_from_files_to_recommendations() {
  npm run --silent demo -- --write "$folder/shop" >/dev/null
  {
    tastegraph import users "$folder/shop/users.ndjson" --create shop-readers --yes &&
      tastegraph import items "$folder/shop/items.ndjson" --create shop-books --yes &&
      tastegraph import events "$folder/shop/events.ndjson" --create shop-visits --yes &&
      tastegraph project create shop --users shop-readers --items shop-books --events shop-visits --target buy &&
      tastegraph train --project shop --watch &&
      tastegraph deploy --project shop --qps 100
  } >"$folder/cli.log" 2>&1 || { tail -n 20 "$folder/cli.log"; return 1; }
  recommends
}
cli=packages/cli/tastegraph
tastegraph() { inside "$cli" "$@"; }
recommends() { tastegraph recommend clara --project shop --attributes title --limit 3 | grep -q '[A-Za-z]'; }

# start_calls NAME: calls without a pause until stop_calls.
start_calls() {
  # Not through a function, so that the signal reaches the process.
  nsenter --target "$(cat "$cache/engine/pid")" --net node deploy/trial/call-steadily.mjs http://127.0.0.1:8080 "$folder/$1.json" >"$folder/calls.log" 2>&1 &
  caller=$!
  is_soon 180 grep -q '^calling' "$folder/calls.log" || { cat "$folder/calls.log"; fail 'The calls did not start.'; }
  sleep 5
}
# stop_calls NAME: ends them, and prints what they met.
stop_calls() {
  kill "$caller"
  wait "$caller" || { cat "$folder/calls.log"; fail 'The calls did not end well.'; }
  # shellcheck disable=SC2016 # the quoted text is JavaScript
  node -e '
    const { failures, ...counts } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    console.log(`         ${Object.entries(counts).map(([name, count]) => `${name}: ${count}`).join(", ")}`);
    for (const { at, kind, error } of failures.slice(0, 5)) console.log(`         ${at} ${kind}: ${error}`);
    process.exitCode = counts.failed + counts.lost > 0 || counts.recommendations * counts.writes === 0 ? 1 : 0;' "$folder/$1.json"
}
