# shellcheck shell=sh
# Stops a service when the process that started it is gone. See guard.ts.
# Arguments: a directory to remove at the end ('' for none), then the signals to send, the gentlest first.
# Standard input: `pid N`, the process to stop (`pid` alone: none), and `done`, when nothing is left to guard.
directory=$1
shift
pid=
while read -r word value; do
  case $word in
    pid) pid=$value ;;
    done) exit 0 ;;
  esac
done

# In a container without an init process, exited processes stay as zombies.
is_alive() {
  kill -0 "$pid" 2>/dev/null && ! grep -q ') Z ' "/proc/$pid/stat" 2>/dev/null
}

# The pipe was closed without `done`: the other side has died.
if [ -n "$pid" ]; then
  for signal in "$@" KILL; do
    is_alive || break
    kill -s "$signal" "$pid"
    # 10 s per signal: a fast shutdown of PostgreSQL writes a checkpoint, which takes seconds after a large load.
    tries=100
    while [ $tries -gt 0 ] && is_alive; do
      sleep 0.1
      tries=$((tries - 1))
    done
  done
fi
if [ -n "$directory" ]; then rm -rf "$directory"; fi
