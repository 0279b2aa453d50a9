#!/usr/bin/env bash
# The checks of .github/workflows/skills.yml, for a terminal and for other CI services.
set -euo pipefail

npx skills doctor
npx skills lint --format github
npx skills test
npx skills exec acme.hello --args @skills/hello/resources/example.json --json > hello.json
jq --exit-status '.output.greeting == "Hello, World!"' hello.json
