import type { Fault } from './faults.ts'

const [PY, JS, TS, SH] = ['code/main.py', 'code/main.js', 'code/main.ts', 'code/main.sh']
const [MD, TOML, TESTS] = ['SKILL.md', 'skill.toml', 'tests/weather.test.toml']
const JSON_FILE = 'resources/example.json'
const UNITS = '(ROOT / "resources" / "units.json").read_text(encoding="utf-8")'

/** Faults of the same classes in other forms. */
export const MORE_FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  'misspelt arguments': [
    ['python', PY, 'days = args.get("days", 3)', 'days = args.get("day", 3)'],
    [
      'python',
      PY,
      '"https://readings.acme.test/v1/" + args["city"]',
      'f"https://readings.acme.test/v1/{args[\'cty\']}"',
    ],
    ['python', PY, 'if args["detail"] == "long"', 'if "details" in args'],
    ['node', JS, 'const { city, days } = args', 'const { city, days = 3, unitt } = args'],
    [
      'node',
      JS,
      'https://readings.acme.test/v1/${args.city}',
      'https://readings.acme.test/v1/${args.town}',
    ],
    [
      'node',
      JS,
      'export async function main(args)',
      'export async function main({ town, ...args })',
    ],
    ['typescript', TS, 'if (args.detail', 'if (args?.detials'],
    ['shell', SH, 'source=$(arg source "") || return', 'source=$(arg "sorce" "") || return'],
  ],
  'undefined names': [
    [
      'python',
      PY,
      'return blobs.read_text(args["source"]).splitlines()[1:]',
      'return blob.read_text(args["source"]).splitlines()[1:]',
    ],
    [
      'python',
      PY,
      '"unit": UNITS["temperature"]',
      '"unit": UNITS["temperature"], "at": datetime.now().isoformat()',
    ],
    ['node', JS, 'result.average = average(values)', 'result.average = mean(values)'],
    ['node', JS, 'result.values = values', 'result.values = value'],
    ['typescript', TS, '  log.info(`', '  logger.info(`'],
    ['shell', SH, 'head -n "$days"', 'head -n "$dayz"'],
  ],
  'missing imports': [
    ['python', PY, 'from runtime import blobs, log', 'from runtime import blobs, logs as log'],
    ['python', PY, 'from runtime import blobs, log', 'from .runtime import blobs, log'],
    ['node', JS, "import { blobs, log } from 'runtime'", "import { blob, log } from 'runtime'"],
  ],
  'require and exports': [
    ['node', JS, 'export async function main(args)', 'module.exports = async function main(args)'],
    ['node', JS, 'export async function main(args)', 'exports.main = async function main(args)'],
    ['python', PY, 'def main(args):', 'def main():'],
    ['shell', SH, 'main() {', 'function weather() {'],
    [
      'typescript',
      TS,
      "import { average } from './helpers.ts'",
      "import { average } from './helper'",
    ],
  ],
  'results that are no JSON': [
    ['python', PY, '    return result\n', '    return json.dumps(result).encode("utf-8")\n'],
    [
      'python',
      PY,
      '    result["average"] = average(numbers)\n',
      '    result["average"] = average(numbers)\n    result["units"] = UNITS.keys()\n',
    ],
    ['node', JS, '  return result\n', '  result.seen = new Set(values)\n  return result\n'],
    [
      'typescript',
      TS,
      '  return result\n',
      '  return { ...result, at: new Map([[city, days]]) }\n',
    ],
  ],
  'exits in main': [
    [
      'python',
      PY,
      '    days = args.get("days", 3)\n',
      '    days = args.get("days", 3)\n    if days < 1:\n        raise SystemExit("no days")\n',
    ],
  ],
  'paths relative to the working directory': [
    ['python', PY, UNITS, 'Path("./resources/units.json").open().read()'],
    ['python', PY, UNITS, '(Path("resources") / "units.json").read_text()'],
    ['python', PY, UNITS, '(Path.cwd() / "resources" / "units.json").read_text()'],
    [
      'node',
      JS,
      "readFileSync(new URL('../resources/units.json', import.meta.url), 'utf8')",
      "readFileSync(`${process.cwd()}/resources/units.json`, 'utf8')",
    ],
    ['shell', SH, 'unit=$(<"$here/../resources/unit.txt")', 'read -r unit < resources/unit.txt'],
  ],
  'documents and tests': [
    ['python', MD, '| `detail` | string, default short |', '| `detail` | string, default long |'],
    ['node', MD, '| `source` | blob |', '| `sources` | blob |'],
    [
      'shell',
      MD,
      '[resources/units.json](resources/units.json)',
      '[resources/unit.json](resources/unit.json)',
    ],
    ['node', TOML, 'export = "main"\n', 'export = "default"\n'],
    ['shell', JSON_FILE, '{ "city": "Oslo", "days": 1 }', '{ "city": "Oslo", "dayz": 1 }'],
    ['node', TESTS, '{ path = "rows", equals = 2 }', '{ path = "rows", equal = 2 }'],
    ['shell', MD, '--blob source=resources/readings.csv', '--blob resources/readings.csv'],
  ],
  'secrets in code': [
    [
      'python',
      PY,
      'ROOT = Path',
      'DSN = "mysql+pymysql://weather:k8Zr2Lw9Xk4T@db.acme.io/readings"\nROOT = Path',
    ],
    ['node', JS, '`Bearer ${token}`', '"Bearer " + "9fK2mQx7LrV4tZ8wYb3NcP6d"'],
    [
      'typescript',
      TS,
      'const UNITS',
      "const API_KEY = process.env.ACME_KEY || 'q8Zr2Lw9Xk4Tn7Vb1Ym6'\nconst UNITS",
    ],
    [
      'shell',
      SH,
      'rows=0',
      'curl -s -u "reports:Vq7xLr2PzK91" https://readings.acme.test/v1\n  rows=0',
    ],
    [
      'shell',
      SH,
      'rows=0',
      'curl -s -H "Authorization: Bearer 9fK2mQx7LrV4tZ8wYb3NcP6d" https://readings.acme.test/v1\n  rows=0',
    ],
    [
      'python',
      PY,
      'os.environ.get("ACME_TOKEN")',
      'os.environ.get("ACME_TOKEN") or "9fK2mQx7LrV4tZ8w"',
    ],
  ],
  'packages that nothing installs': [
    [
      'python',
      PY,
      'import urllib.request\n',
      'import urllib.request\nfrom bs4 import BeautifulSoup\n',
    ],
    [
      'node',
      JS,
      '  const { city, days } = args\n',
      "  const { city, days } = args\n  const { parse } = await import('csv-parse/sync')\n",
    ],
  ],
}
