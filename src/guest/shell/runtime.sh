# What a script can ask of its run. Texts go over two descriptors, so that no question starts a process.

# Standard input has all arguments as JSON; `arg` gives one: a text as it is, anything else as JSON.
arg() { __ask arg "$@" && printf '%s\n' "$REPLY"; }
args() { cat /proc/self/fd/13; }

# Lines with a level among the logs.
log_debug() { __ask log debug "$@"; }
log_info() { __ask log info "$@"; }
log_warning() { __ask log warning "$@"; }
log_error() { __ask log error "$@"; }

# Large values by handle: a file, a content, a new one from standard input or from a file.
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

# One object of JSON: NAME=TEXT, NAME:=JSON.
json() { __ask json "$@" && printf '%s\n' "$REPLY"; }

# Ends the run, and says why.
fail() {
  __ask fail "$@"
  exit 1
}

__ask() {
  local status
  {
    # Two parts of a script that ask at the same time wait for each other.
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
