# What main prints is its result: one JSON document. Everything else goes to standard error.
main() {
  local name greeting
  name=$(arg name) || return
  log_debug "greeting $name"
  greeting="Hello, $name!"
  json summary="$greeting" greeting="$greeting"
}
