/** Skills as authors write them, in which the rows of `faults.ts` plant one fault each. */

const INPUTS = `[inputs]
city = { type = "string", description = "City to report", required = true }
days = { type = "integer", description = "Days to report", default = 3 }
detail = { type = "string", description = "How much to say", enum = ["short", "long"], default = "short" }
source = { type = "blob", description = "File with readings" }
`

const MANIFEST = `name = "acme.weather"
version = "1.2.0"
description = "Reports the readings of a city's weather station. Use it for questions about past weather."
kind = "action"

[runtime]
language = "LANGUAGE"
entrypoint = "ENTRYPOINT"
export = "main"

${INPUTS}
[permissions]
network = ["https://readings.acme.test"]
secrets = { ACME_TOKEN = "https://readings.acme.test" }

[[examples]]
description = "the last day in Oslo"
args = { city = "Oslo", days = 1 }
`

const DOCUMENT = `---
name: weather
description: Reports the readings of a city's weather station. Use it for questions about past weather.
---

# Weather

Reports the readings of a station. Units are listed in [resources/units.json](resources/units.json).

## Arguments

| Argument | Type | Meaning |
| --- | --- | --- |
| \`city\` | string, required | City to report |
| \`days\` | integer, default 3 | Days to report |
| \`detail\` | string, default short | How much to say: short or long |
| \`source\` | blob | File with readings |

## Example

\`\`\`sh
skills exec acme.weather --arg city=Oslo --arg days=1
skills exec acme.weather --arg city=Oslo --blob source=resources/readings.csv
\`\`\`

The arguments of this call are also in [resources/example.json](resources/example.json).
`

const TESTS = `[[cases]]
name = "one day"
args = { city = "Oslo", days = 1 }
expect = [{ status = "completed" }, { result = { path = "city", equals = "Oslo" } }]

[[cases]]
name = "a file"
args = { city = "Oslo", detail = "long" }
blobs = { source = "resources/readings.csv" }
expect = [{ result = { path = "rows", equals = 2 } }]
`

const PYTHON = `import json
import os
import urllib.request
from pathlib import Path

from helpers import average
from runtime import blobs, log

ROOT = Path(__file__).parent.parent
UNITS = json.loads((ROOT / "resources" / "units.json").read_text(encoding="utf-8"))


def read_rows(args):
    if args.get("source"):
        return blobs.read_text(args["source"]).splitlines()[1:]
    token = os.environ.get("ACME_TOKEN")
    request = urllib.request.Request(
        "https://readings.acme.test/v1/" + args["city"],
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read().decode().splitlines()[1:]


def main(args):
    city = args["city"]
    days = args.get("days", 3)
    rows = read_rows(args)[:days]
    log.info(f"{len(rows)} rows for {city}")
    numbers = [float(row.split(",")[1]) for row in rows]
    result = {"city": city, "rows": len(rows), "unit": UNITS["temperature"]}
    if args["detail"] == "long":
        result["values"] = numbers
    result["average"] = average(numbers)
    return result
`

const PYTHON_HELPERS = `def average(numbers):
    return sum(numbers) / len(numbers) if numbers else None
`

const NODE = `import { readFileSync } from 'node:fs'
import { blobs, log } from 'runtime'
import { average } from './helpers.js'

const UNITS = JSON.parse(readFileSync(new URL('../resources/units.json', import.meta.url), 'utf8'))

async function readRows(args) {
  if (args.source) return blobs.readText(args.source).trim().split('\\n').slice(1)
  const token = process.env.ACME_TOKEN
  const response = await fetch(\`https://readings.acme.test/v1/\${args.city}\`, {
    headers: { authorization: \`Bearer \${token}\` },
  })
  return (await response.text()).trim().split('\\n').slice(1)
}

export async function main(args) {
  const { city, days } = args
  const rows = (await readRows(args)).slice(0, days)
  log.info(\`\${rows.length} rows for \${city}\`)
  const values = rows.map((row) => Number(row.split(',')[1]))
  const result = { city, rows: rows.length, unit: UNITS.temperature }
  if (args.detail === 'long') result.values = values
  result.average = average(values)
  return result
}
`

const NODE_HELPERS = `export function average(values) {
  return values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length
}
`

const TYPESCRIPT = `import { readFileSync } from 'node:fs'
import { blobs, log } from 'runtime'
import { average } from './helpers.ts'

interface Inputs {
  city: string
  days: number
  detail: 'short' | 'long'
  source?: string
}

type Row = readonly [day: string, value: number]

const UNITS = JSON.parse(
  readFileSync(new URL('../resources/units.json', import.meta.url), 'utf8'),
) as Record<string, string>

function parseRow(line: string): Row {
  const [day = '', value = ''] = line.split(',')
  return [day, Number(value)]
}

export async function main(args: Inputs): Promise<Record<string, unknown>> {
  const { city, days, source } = args
  const lines = source ? blobs.readText(source).trim().split('\\n').slice(1) : []
  const rows = lines.slice(0, days).map(parseRow)
  log.info(\`\${rows.length} rows for \${city}\`)
  const result: Record<string, unknown> = { city, rows: rows.length, unit: UNITS['temperature'] }
  if (args.detail === 'long') result['values'] = rows.map(([, value]) => value)
  result['average'] = average(rows.map(([, value]) => value))
  return result
}
`

const TYPESCRIPT_HELPERS = NODE_HELPERS.replace(
  '(values)',
  '(values: readonly number[]): number | null',
)

const SHELL = `# The output of main is its result.
here=\${BASH_SOURCE[0]%/*}
source "$here/helpers.sh"

main() {
  local city days source rows unit
  city=$(arg city) || return
  days=$(arg days 3) || return
  source=$(arg source "") || return
  unit=$(<"$here/../resources/unit.txt") || return
  rows=0
  if [[ -n $source ]]; then
    rows=$(blob_read "$source" | tail -n +2 | head -n "$days" | count_lines)
  fi
  log_info "$rows rows for $city"
  json city="$city" rows:="$rows" unit="$unit"
}
`

const SHELL_HELPERS = `count_lines() {
  wc -l | tr -d ' '
}
`

const COMMON = {
  'SKILL.md': DOCUMENT,
  'tests/weather.test.toml': TESTS,
  'resources/example.json': '{ "city": "Oslo", "days": 1 }\n',
  'resources/units.json': '{ "temperature": "C" }\n',
  'resources/unit.txt': 'C\n',
  'resources/readings.csv': 'day,value\n1,2.5\n2,3.5\n',
}

function createSkill(language: string, code: Readonly<Record<string, string>>) {
  const [entrypoint = ''] = Object.keys(code)
  const manifest = MANIFEST.replace('LANGUAGE', language).replace('ENTRYPOINT', entrypoint)
  const usesNetwork = Object.values(code).some((text) => text.includes('ACME_TOKEN'))
  const toml = usesNetwork ? manifest : manifest.replace(/\[permissions\]\n.*\n.*\n/, '')
  return { 'skill.toml': toml, ...COMMON, ...code }
}

export const SKILLS = {
  python: createSkill('python', { 'code/main.py': PYTHON, 'code/helpers.py': PYTHON_HELPERS }),
  node: createSkill('node', { 'code/main.js': NODE, 'code/helpers.js': NODE_HELPERS }),
  typescript: createSkill('typescript', {
    'code/main.ts': TYPESCRIPT,
    'code/helpers.ts': TYPESCRIPT_HELPERS,
  }),
  shell: createSkill('shell', { 'code/main.sh': SHELL, 'code/helpers.sh': SHELL_HELPERS }),
} satisfies Record<string, Readonly<Record<string, string>>>
