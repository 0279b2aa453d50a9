import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const PYTHON = `
import datetime, os, random, subprocess, time
from datetime import date

def main(args):
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "time": time.time(),
        "now": now.isoformat(),
        "naive": datetime.datetime.utcnow().isoformat(),
        "today": date.today().isoformat(),
        "local": time.strftime("%Y-%m-%d %H:%M"),
        "instance": isinstance(now, datetime.datetime) and isinstance(now, date),
        "difference": (datetime.datetime(2024, 1, 2) - datetime.datetime.now()).days,
        "random": random.random(),
        "epoch": os.environ["SOURCE_DATE_EPOCH"],
        "zone": os.environ["TZ"],
        "hashes": subprocess.run(["python3", "-c", "print(hash('a'))"], capture_output=True, text=True).stdout,
        "passes": time.monotonic() > 0,
    }
`

const NODE = `
export function main() {
  const { constructor } = new Date()
  return {
    now: new Date().toISOString(),
    ms: Date.now(),
    again: new constructor().getTime(),
    text: new Date(0).toISOString(),
    instance: new Date() instanceof Date,
    random: Math.random(),
  }
}
`

interface Report {
  cases: { name: string; status: string; attempts: { failures: { message: string }[] }[] }[]
}

const writeCase = (name: string, more: string, equals: string) =>
  `[[cases]]\nname = "${name}"\n${more}expect = [{ result = { includes = ${equals} } }]\n`

async function run(
  { language, file, code }: { language: string; file: string; code: string },
  cases: string,
): Promise<string[]> {
  const cwd = createFolder({
    ...createActionSkill('demo.fixed'),
    'skill.toml': `name = "demo.fixed"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "${language}"\nentrypoint = "code/${file}"\nexport = "main"\n`,
    [`code/${file}`]: code,
    'tests/fixed.test.toml': cases,
  })
  const { stdout, stderr } = await runSkills(['test', '--json'], { cwd })
  expect(stderr).toBe('')
  const { cases: reports } = JSON.parse(stdout) as Report
  return reports.flatMap(({ attempts }) =>
    attempts.flatMap(({ failures }) => failures.map(({ message }) => message)),
  )
}

describe('the clock and the seed of a case are fixed', () => {
  it('in Python', async () => {
    const standard =
      '{ time = 1704067200.0, now = "2024-01-01T00:00:00+00:00", naive = "2024-01-01T00:00:00", today = "2024-01-01", local = "2024-01-01 00:00", instance = true, difference = 1, random = 0.8444218515250481, epoch = "1704067200", zone = "UTC", passes = true }'
    const other = '{ now = "2030-05-06T07:08:09+00:00", random = 0.13436424411240122 }'
    const failures = await run(
      { language: 'python', file: 'main.py', code: PYTHON },
      writeCase('standard', '', standard) +
        writeCase('own', 'seed = 1\nnow = 2030-05-06T07:08:09Z\n', other) +
        writeCase('real clock', 'now = "real"\n', '{ random = 0.8444218515250481 }') +
        `[[cases]]\nname = "is real"\nnow = "real"\nexpect = [{ result = { path = "today", equals = "2024-01-01" }, not = true }]\n`,
    )
    expect(failures).toEqual([])
  })

  it('in JavaScript', async () => {
    const standard =
      '{ now = "2024-01-01T00:00:00.000Z", ms = 1704067200000, again = 1704067200000, text = "1970-01-01T00:00:00.000Z", instance = true, random = 0.26642920868471265 }'
    const failures = await run(
      { language: 'node', file: 'main.js', code: NODE },
      writeCase('standard', '', standard),
    )
    expect(failures).toEqual([])
  })
})
