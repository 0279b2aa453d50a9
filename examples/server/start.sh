#!/usr/bin/env bash
# Starts the server. Arguments are passed on to `skills serve`.
set -euo pipefail
cd "$(dirname "$0")"

# exec keeps one process in the control group of the service, which limits of runs need.
PATH="$PWD/node_modules/.bin:$PWD/../../node_modules/.bin:$PATH"
exec skills serve --config skills.config.toml --token-file "${SKILLS_TOKEN_FILE:-tokens.txt}" --log-format json --grace 30s "$@"
