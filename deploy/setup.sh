#!/bin/sh
# Writes a certificate for the engine, a key for each node, a key for queued runs and a token for callers, for the services
# of compose.yaml.
# Secrets that exist are kept. Remove the folder "secrets" and start all services again to replace them.
set -eu
umask 077
cd /secrets
[ ! -e ready ] || exit 0
# What an interrupted start left is incomplete.
rm -rf -- ./*/* node-keys.txt

mkdir -p engine
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=engine \
  -addext subjectAltName=DNS:engine -keyout engine/engine.key -out engine/engine.crt 2>/dev/null

token=$(openssl rand -hex 32)
jobs_key=$(openssl rand -base64 32)
add_node() {
  role=$1 node=$2
  mkdir -p "$node"
  cp engine/engine.crt "$node/ca.crt"
  # The first line is that of the list. After it, the permissions of this key alone are printed.
  skills fleet keys create "$role" "$node" --out "$node/node.seed" | sed -n 1p >>node-keys.txt
  [ "$role" = operator ] || echo "$jobs_key" >"$node/fleet.key"
  [ "$role" != front ] || echo "$token caller" >"$node/tokens.txt"
}
add_node operator operator
add_node front front-1
add_node front front-2
add_node worker worker-1
add_node worker worker-2

{
  sed '/^accounts {/,$d' /deploy/nats.conf
  skills fleet keys config node-keys.txt
} >engine/nats.conf
touch ready
