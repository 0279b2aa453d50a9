#!/bin/bash
# Stands before a program in PATH: reports its start to the log, and takes the place of programs that
# would wait, tell the time or change what a sandbox does not have.
name=${0##*/}
IFS=:
folders=($TRIAL_FOLDERS)
unset IFS
if [ -n "$TRIAL_LOG" ]; then
  printf '%s\037started\037%s' "${EPOCHREALTIME/,/.}" "$name" >>"$TRIAL_LOG"
  printf '\037%.400s' "$@" >>"$TRIAL_LOG"
  printf '\036' >>"$TRIAL_LOG"
fi

start_real() {
  local folder
  for folder in "${folders[@]}"; do
    [ -x "$folder/$name" ] && exec "$folder/$name" "$@"
  done
}

case $name in
  python*) [ -n "$TRIAL_LIBRARIES" ] && export LD_LIBRARY_PATH=$TRIAL_LIBRARIES ;;
  sleep) exec /usr/bin/sleep 0.02 ;;
  crontab)
    case ${1:-} in
      -l) [ -f "$TRIAL_HOME/crontab" ] && cat "$TRIAL_HOME/crontab" || { echo "no crontab for $USER" >&2; exit 1; } ;;
      -r) : >"$TRIAL_HOME/crontab" ;;
      -e) ;;
      -* | '') [ "${1:-}" = - ] || [ $# = 0 ] && cat >"$TRIAL_HOME/crontab" ;;
      *) cat "$1" >"$TRIAL_HOME/crontab" ;;
    esac
    exit
    ;;
  date)
    if [ -n "$TRIAL_SHIFT" ]; then
      for each in "$@"; do
        case $each in -d | --date* | -r | -f | -s) start_real "$@" ;; esac
      done
      start_real -d "@$((${EPOCHREALTIME%[.,]*} + ${TRIAL_SHIFT%.*}))" "$@"
    fi
    ;;
  hostname | uname)
    if [ -n "$TRIAL_HOST" ]; then
      case $name:${1:-} in
        hostname:* | uname:-n) echo "$TRIAL_HOST"; exit ;;
      esac
    fi
    ;;
  whoami) echo "$USER"; exit ;;
  sudo | doas | nohup | nice | stdbuf)
    [ "$name" = sudo ] || [ "$name" = doas ] || start_real "$@"
    while [ "${1#-}" != "${1:-}" ]; do shift; done
    exec "$@"
    ;;
esac
start_real "$@"
[ -n "$TRIAL_LIBRARIES" ] && export LD_LIBRARY_PATH=$TRIAL_LIBRARIES
exec "$TRIAL_PYTHON" -S "${0%/*/*}/stand-in.py" "$name" "$@"
