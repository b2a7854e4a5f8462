# shellcheck shell=bash
# What .ci/run and .ci/release share: steps, suites and benches, what they count, and how they end. Sourced from the root of the repository.
# What is left out is not passed: a command prints `left out: WHAT, WHY` for it, and exits with 77 if it did nothing
# else. An image that is not the product that compose.yaml names is a line `stand-in: …`. The end repeats both.
export CI=true
# Logs, reports and timings of this run.
out=$PWD/.ci/out
rm -rf "$out" && mkdir -p "$out"
# Hundreds of processes start in the tests: with compiled modules, each takes a third less CPU time until it is ready.
export NODE_COMPILE_CACHE=$out/compile-cache
passed=0 failed=0 failures=() broken=() unsteady=() left_out=() stand_ins=()
readonly all_left_out=77
# Integration tests of whole machines, or of minutes: .ci/release runs them.
# shellcheck disable=SC2034 # of the scripts that source this
slow=(cells failover kafka read-replica routing-by-project systemd upgrade)
timings=$out/timings.tsv
printf 'suite\tfile\tseconds\tCPU seconds\n' >"$timings"

# CPU seconds of all commands so far, with the processes that they waited for. Not in a subshell, which would have its own.
measure_cpu() {
  times >"$out/times"
  cpu=$(awk 'NR == 2 { split($1, user, /[ms]/); split($2, sys, /[ms]/); print (user[1] + sys[1]) * 60 + user[2] + sys[2] }' "$out/times")
}

# execute NAME COMMAND…: runs it with its output in a log too, sets `status` to its exit code, and writes a row of timings. What
# ran beside others has its own seconds; its CPU seconds are among those of the others.
execute() {
  local name=$1 start=$SECONDS seconds before
  shift
  # A script with a deadline runs no functions in it.
  [ -z "${deadline:-}" ] || set -- timeout --kill-after=30 "$((deadline > SECONDS ? deadline - SECONDS : 1))" "$@"
  measure_cpu
  before=$cpu
  "$@" 2>&1 | tee "$out/$name.log"
  status=${PIPESTATUS[0]}
  measure_cpu
  seconds=$(cat "$out/$name.seconds" 2>/dev/null || echo $((SECONDS - start)))
  printf '%s\t%s\t%d\t%.1f\n' "$name" "$name" "$seconds" "$(awk "BEGIN { print $cpu - $before }")" >>"$timings"
}

# note_left_out NAME: what the log of a command says.
note_left_out() {
  local line
  while IFS= read -r line; do left_out+=("$1: ${line#*left out: }"); done < <(grep 'left out: ' "$out/$1.log")
  while IFS= read -r line; do stand_ins+=("$1: ${line#*stand-in: }"); done < <(grep 'stand-in: ' "$out/$1.log")
}

# leave_out WHAT WHY: of a script itself.
leave_out() {
  left_out+=("$1, $2")
  echo "::: left out: $1, $2"
}

# step NAME COMMAND…: a check that passes or fails as a whole.
step() {
  local name=$1 start=$SECONDS status
  echo "::: $name"
  execute "$@"
  note_left_out "$name"
  if [ "$status" -eq 0 ]; then
    passed=$((passed + 1)) && echo "::: $name: passed in $((SECONDS - start)) s"
  elif [ "$status" -eq $all_left_out ] && grep -q 'left out: ' "$out/$name.log"; then
    echo "::: $name: left out"
  else
    failed=$((failed + 1)) failures+=("$name")
    echo "::: $name: FAILED after $((SECONDS - start)) s"
    return 1
  fi
}

# suite NAME COMMAND…: a run of vitest; its tests are counted one by one, and an error outside of them as one more.
suite() {
  local name=$1 start=$SECONDS good=0 bad=0 line status found=()
  shift
  echo "::: $name"
  export VITEST_JSON=$out/$name.json
  execute "$name" "$@"
  unset VITEST_JSON
  # Its files instead of the whole, which is in the log.
  [ ! -s "$out/$name.tsv" ] || sed "s/^/$name\t/" "$out/$name.tsv" >>"$timings"
  {
    read -r good bad
    while IFS= read -r line; do found+=("$name: $line"); done
  } < <(node .ci/count.mjs "$out/$name.json" || echo 0 0)
  while IFS= read -r line; do left_out+=("$name: $line"); done < <(node .ci/count.mjs "$out/$name.json" --left-out)
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1 found+=("$name: an error outside of its tests"); fi
  if [ "$bad" -gt 0 ] && [ "$name" != check ] && again "$name" "$@"; then
    unsteady+=("${found[@]}") good=$((good + bad)) bad=0
  fi
  passed=$((passed + good)) failed=$((failed + bad))
  [ "$bad" -eq 0 ] || { broken+=("$name") && failures+=("${found[@]}"); }
  echo "::: $name: $good passed, $bad failed in $((SECONDS - start)) s"
}

# again NAME COMMAND…: whether the files that failed, if they are one or two, pass alone. Then their tests are unsteady, not
# broken: the gate lists them at its end (docs/decisions/tests.md).
again() {
  local name=$1 files=() base=()
  shift
  mapfile -t files < <(node .ci/count.mjs "$out/$name.json" --files)
  [ ${#files[@]} -ge 1 ] && [ ${#files[@]} -le 2 ] || return 1
  while [ $# -gt 0 ] && [ "$1" != -- ]; do base+=("$1") && shift; done
  echo "::: $name: again, alone: ${files[*]}"
  VITEST_JSON=$out/$name-again.json "${base[@]}" -- --maxWorkers=1 "${files[@]}"
}

# begin NAME COMMAND…: a step or a suite that runs beside the next ones. `step NAME joined NAME COMMAND…`, or `suite`, waits for it
# and counts it.
begin() {
  local name=$1
  shift
  {
    local start=$SECONDS code
    VITEST_JSON=$out/$name.json "$@" >"$out/$name.begun.log" 2>&1
    code=$?
    echo $((SECONDS - start)) >"$out/$name.seconds"
    echo $code >"$out/$name.status"
  } &
}

# joined NAME COMMAND…: the first time, the run that began; at a second try, the command.
joined() {
  local name=$1
  shift
  [ ! -e "$out/$name.joined" ] || { "$@"; return; }
  touch "$out/$name.joined"
  until [ -s "$out/$name.status" ]; do sleep 0.5; done
  cat "$out/$name.begun.log"
  return "$(<"$out/$name.status")"
}

# bench NAME [FLAG…]: a goal that is missed once and then reached was missed by the machine's other work: unsteady.
bench() {
  local name=bench-$1 start=$SECONDS tries=1 status
  echo "::: $name"
  execute "$name" npm run bench -- "$@"
  while [ "$status" -ne 0 ]; do
    if [ $((++tries)) -gt 2 ]; then
      failed=$((failed + 1)) failures+=("$name")
      echo "::: $name: FAILED after $((SECONDS - start)) s"
      return 1
    fi
    echo "::: $name: again"
    execute "$name" npm run bench -- "$@"
  done
  note_left_out "$name"
  [ $tries -eq 1 ] || unsteady+=("$name")
  passed=$((passed + 1)) && echo "::: $name: passed in $((SECONDS - start)) s"
}

# bench_with_data NAME [FLAG…]: a bench on public data sets, which are too large for the repository.
bench_with_data() {
  if [ -d "${TASTEGRAPH_DATA:-../shared/data}" ]; then
    bench "$@"
  else
    leave_out "bench-$1" 'the public data sets are not here; set TASTEGRAPH_DATA'
  fi
}

install_packages() {
  local missing=() package
  for package in postgresql redis-server python3-swift chromium chromium-headless-shell curl shellcheck \
    systemd procps docker-compose prometheus python3-venv unzip nginx-light haproxy \
    docker.io iptables slirp4netns mmdebstrap openjdk-17-jre-headless maven; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# What all else needs.
prepare() {
  step packages install_packages || { finish; exit 1; }
  step dependencies npm ci --no-audit --no-fund || { finish; exit 1; }
  PATH=$PWD/node_modules/.bin:$PATH
}

# Runs at the end: what a reader of the last lines must know, then one line with the counts. Its exit code is that of the script.
finish() {
  local name
  # Why they failed, at the end, where it is still seen when only the last lines are kept.
  for name in "${broken[@]}"; do
    echo "::: $name: why it failed"
    sed -n '/Failed \(Suites\|Tests\) [0-9]/,$p' "$out/$name.log" | head -n 80
  done
  echo '::: the twenty slowest: seconds, CPU seconds, suite, file'
  # Of a suite with rows per file, not the row of the whole.
  awk -F '\t' 'NR > 1 { rows[$1]++; line[NR] = sprintf("%8.1f %8.1f  %s  %s", $3, $4, $1, $2 == $1 ? "" : $2); suite[NR] = $1; whole[NR] = $1 == $2 }
    END { for (i in line) if (!whole[i] || rows[suite[i]] == 1) print line[i] }' "$timings" | sort -rn | head -n 20
  echo "::: all in $SECONDS s"
  [ ${#stand_ins[@]} -eq 0 ] || printf 'stand-in: %s\n' "${stand_ins[@]}"
  [ ${#left_out[@]} -eq 0 ] || printf 'left out: %s\n' "${left_out[@]}"
  [ ${#unsteady[@]} -eq 0 ] || printf 'unsteady, passed at the second try: %s\n' "${unsteady[@]}"
  [ "$failed" -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
