# Functions for shell scripts. Requests use two descriptors, so that none of them starts a process.

# Standard input contains all arguments as JSON. `arg` prints one: a string unchanged, other values as
# JSON.
arg() { __ask arg "$@" && printf '%s\n' "$REPLY"; }
args() { cat /proc/self/fd/13; }

# Log lines with a level.
log_debug() { __ask log debug "$@"; }
log_info() { __ask log info "$@"; }
log_warning() { __ask log warning "$@"; }
log_error() { __ask log error "$@"; }

# Steps that are complete, the number of all steps, and an optional text.
progress() { __ask progress "$@"; }

# Large values by handle: a file, its content, and a new blob from standard input or from a file.
blob_path() { __ask blob_path "$1" && printf '%s\n' "$REPLY"; }
blob_read() { __ask blob_path "$1" && cat -- "$REPLY"; }
blob_write_file() { __ask blob_write "${2:-application/octet-stream}" "$1" && printf '%s\n' "$REPLY"; }
blob_write() {
  local file status
  file=$(mktemp) || return
  cat >"$file" && blob_write_file "$file" "${1:-text/plain}"
  status=$?
  rm -f -- "$file"
  return "$status"
}

# Builds a JSON object from NAME=TEXT and NAME:=JSON.
json() { __ask json "$@" && printf '%s\n' "$REPLY"; }

# Ends the run with a message.
fail() {
  __ask fail "$@"
  exit 1
}

__ask() {
  local status
  {
    # The lock serialises requests from concurrent parts of a script.
    if [[ -n $__flock ]]; then "$__flock" 11; fi
    printf '%s\0' "$#" "$@" >&8
    IFS= read -r -d '' status <&9 && IFS= read -r -d '' REPLY <&9
  } 11>"${TMPDIR:-/tmp}/.asking" || return 1
  if [[ $status != 0 ]]; then
    printf '%s: %s\n' "$1" "$REPLY" >&2
    return 1
  fi
}

__flock=$(type -P flock)
