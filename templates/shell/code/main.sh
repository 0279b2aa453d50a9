# The output of main is its result: one JSON document. Write everything else to standard error.
main() {
  local name greeting
  name=$(arg name) || return
  log_debug "greeting $name"
  greeting="Hello, $name!"
  json summary="$greeting" greeting="$greeting"
}
