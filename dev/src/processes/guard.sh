# shellcheck shell=sh
# Ends a service when whoever started it is gone. See guard.ts.
# Arguments: a directory to remove at the end (or nothing: ''), then the signals to send, the polite first.
# Standard input: `pid N`, the process to end (`pid` alone: none), and `done`, when nothing is left to guard.
directory=$1
shift
pid=
while read -r word value; do
  case $word in
    pid) pid=$value ;;
    done) exit 0 ;;
  esac
done

# In a container without a proper process 1, what has ended stays as a zombie for ever.
is_alive() {
  kill -0 "$pid" 2>/dev/null && ! grep -q ') Z ' "/proc/$pid/stat" 2>/dev/null
}

# The pipe was closed without a word: the other side has died.
if [ -n "$pid" ]; then
  for signal in "$@" KILL; do
    is_alive || break
    kill -s "$signal" "$pid"
    # 10 s for each: a fast shutdown of PostgreSQL writes a checkpoint, which takes seconds after a large load.
    tries=100
    while [ $tries -gt 0 ] && is_alive; do
      sleep 0.1
      tries=$((tries - 1))
    done
  done
fi
if [ -n "$directory" ]; then rm -rf "$directory"; fi
