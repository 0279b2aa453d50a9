# Loads a script and calls one function of it; its output is the result.
__script=$1 __function=$2 __own=${BASH_SOURCE[0]%/*}
set --
source "$__own/runtime.sh"
exec 13<&0
source "$__script"
__status=$?
if ! declare -F -- "$__function" >/dev/null; then exit "$((__status == 0 ? 126 : 125))"; fi
set -o errtrace
# Reports only failing commands of the script, not of this library.
trap '[[ ${BASH_SOURCE[0]%/*} == "$__own" ]] || __ask failing "${BASH_SOURCE[0]##*/}:$LINENO" "$BASH_COMMAND"' ERR
"$__function" >&10
