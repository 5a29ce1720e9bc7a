#!/bin/bash
# A number alone proves nothing: the process counts as the worker if its command line is that of a started worker.
set -euo pipefail
cat > /home/user/spool/spoolctl <<'CTL'
#!/bin/bash
# Starts, stops and shows the spool worker.
set -u
HOME_DIR=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
WORKER=$HOME_DIR/spool-worker
PIDFILE=$HOME_DIR/run/spool.pid

# Succeeds if process $1 is the worker: an interpreter whose first argument is the worker's path. A zombie has no command line.
is_worker() {
  local arguments=()
  mapfile -d '' -t arguments < "/proc/$1/cmdline" 2> /dev/null
  [ "${#arguments[@]}" -eq 2 ] && [[ ${arguments[0]} == *python* ]] && [ "${arguments[1]}" = "$WORKER" ]
} 2> /dev/null

# Prints the process id of the running worker; fails if none runs.
running() {
  local pid
  pid=$(cat "$PIDFILE" 2> /dev/null) || return 1
  [[ $pid =~ ^[1-9][0-9]*$ ]] && is_worker "$pid" && echo "$pid"
}

# gone PID SECONDS: waits until the worker has gone, for so long at most.
gone() {
  local left=$(($2 * 20))
  while is_worker "$1"; do
    [ "$left" -gt 0 ] || return 1
    left=$((left - 1))
    sleep 0.05
  done
}

case "${1:-}" in
  start)
    if pid=$(running); then
      echo "already running $pid"
      exit 0
    fi
    # No pipe of the caller stays open in the worker, and it is in a session of its own.
    setsid python3 "$WORKER" < /dev/null > /dev/null 2>&1 &
    echo "$!" > "$PIDFILE"
    echo "started $!"
    ;;
  stop)
    if pid=$(running); then
      kill -TERM "$pid"
      gone "$pid" 5 || { kill -KILL "$pid" && gone "$pid" 5; }
    fi
    rm -f "$PIDFILE"
    echo stopped
    ;;
  status)
    if pid=$(running); then
      echo "running $pid"
    else
      echo stopped
      exit 3
    fi
    ;;
  *)
    echo "usage: spoolctl start|stop|status" >&2
    exit 2
    ;;
esac
CTL
