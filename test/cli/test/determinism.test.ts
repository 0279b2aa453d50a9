// @module-tag slow
// @module-tag nightly
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { IS_FULL } from '../../helpers/matrix.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const ROUNDS = IS_FULL ? 50 : 6
const CONTROL_ROUNDS = 3
/** A busy process ends by itself, even if the test is killed. */
const BUSY_MS = 1_800_000

/** Values that docs/testing.md lists as fixed, and the order of files and lines of a run. */
const PYTHON = `
import datetime, os, random, subprocess, time

def main(args):
    kind = args["kind"]
    for name in ["b", "a", "c"]:
        with open(f"{kind}-{name}.txt", "w") as file:
            file.write(name)
    print("line of", kind)
    child = ["python3", "-c", "print(hash('a'), {'a', 'b', 'c', 'd', 'e', 'f'})"]
    return {
        "clock": lambda: [time.time(), datetime.datetime.now().isoformat(), time.strftime("%c")],
        "random": lambda: [random.random(), random.sample(range(100), 5), random.choice("abcdef")],
        "hashes": lambda: subprocess.run(child, capture_output=True, text=True).stdout,
        "environment": lambda: [os.environ[name] for name in ["TZ", "LANG", "COLUMNS", "SOURCE_DATE_EPOCH"]],
    }[kind]()
`
const JAVASCRIPT = `
import { writeFileSync } from 'node:fs'
export function main({ kind }) {
  for (const name of ['b', 'a', 'c']) writeFileSync(kind + '-' + name + '.txt', name)
  console.log('line of', kind)
  return {
    clock: () => [Date.now(), new Date().toISOString(), String(new Date())],
    random: () => [Math.random(), Math.random(), ['x', 'y', 'z'].sort(() => Math.random() - 0.5)],
    environment: () => [process.env.TZ, process.env.LANG, process.env.SOURCE_DATE_EPOCH],
  }[kind]()
}
`

const writeManifest = (name: string, language: string, entrypoint: string) =>
  `name = "demo.${name}"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "${language}"\nentrypoint = "${entrypoint}"\nexport = "main"\n[inputs]\nkind = { type = "string", description = "x" }\n`

/** The expected value is wrong, so the report shows the value that was returned. */
const writeShown = (name: string, action: string, more = '') =>
  `[[cases]]\nname = "${name}"\n${more}${action}\nexpect = [{ result = { equals = "shown" } }]\n\n`
const writeKinds = (kinds: readonly string[]) =>
  kinds
    .flatMap((kind) => [
      writeShown(`${kind} shown`, `args = { kind = "${kind}" }`),
      writeShown(`${kind} with a seed`, `args = { kind = "${kind}" }`, 'seed = 7\n'),
      `[[cases]]\nname = "${kind} files"\nargs = { kind = "${kind}" }\nexpect = [{ files = { created = ["none.txt"] } }]\n\n`,
      `[[cases]]\nname = "${kind} passes"\nargs = { kind = "${kind}" }\nexpect = [{ status = "completed" }]\n\n`,
    ])
    .join('')

const PROJECT: Tree = {
  'skills/python/skill.toml': writeManifest('python', 'python', 'code/main.py'),
  'skills/python/code/main.py': PYTHON,
  'skills/python/tests/a.test.toml': writeKinds(['clock', 'random', 'hashes', 'environment']),
  'skills/node/skill.toml': writeManifest('node', 'node', 'code/main.mjs'),
  'skills/node/code/main.mjs': JAVASCRIPT,
  'skills/node/tests/a.test.toml': writeKinds(['clock', 'random', 'environment']),
}

/** A report without times: they are all that may differ. */
async function report(cwd: string, round: number): Promise<string> {
  const order = ['--shuffle', `seed-${round}`, '--jobs', String((round % 4) + 1)]
  const reporters = ['--reporter', 'tap', '--reporter', 'json=report.json']
  const { stdout, stderr } = await runSkills(['test', 'skills', ...order, ...reporters], { cwd })
  expect(stderr).toContain(`Shuffled with the seed seed-${round}`)
  const json = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as unknown
  const timeless = JSON.stringify(json, (key, value: unknown) =>
    key === 'duration_ms' ? 0 : value,
  )
  return `${stdout}\n${timeless}`
}

/** Starts processes that use the processors until the test ends. */
function startLoad(count: number): void {
  const script = `setTimeout(() => process.exit(), ${BUSY_MS}); const spin = () => { for (let i = 0; i < 1e7; i++); setImmediate(spin) }; spin()`
  const busy: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', script], { stdio: 'ignore' }),
  )
  onTestFinished(() => {
    for (const child of busy) child.kill('SIGKILL')
  })
}

describe('the report of a suite', () => {
  it(`is the same ${ROUNDS} times, in every order, in parallel and under load, apart from times`, async () => {
    const cwd = createFolder(PROJECT)
    startLoad(2)
    const first = await report(cwd, 0)
    expect(first).toContain('1..28')
    expect(first.match(/^ok /gm)).toHaveLength(7)
    expect(first).toContain('1704067200000')
    for (let round = 1; round < ROUNDS; round++) {
      expect(await report(cwd, round), `round ${round}`).toBe(first)
    }
  }, 1_800_000)

  it.each([
    [
      'random bytes of the system',
      'import os\ndef main(args):\n    return os.urandom(8).hex()\n',
      '',
    ],
    ['the real clock', 'import time\ndef main(args):\n    return time.time()\n', 'now = "real"\n'],
    ['a monotonic clock', 'import time\ndef main(args):\n    return time.monotonic_ns()\n', ''],
    [
      'the clock of a program',
      'import subprocess\ndef main(args):\n    return subprocess.check_output(["date", "+%s%N"], text=True)\n',
      '',
    ],
  ])('differs if a skill uses %s (control)', async (...[, code, more]) => {
    const cwd = createFolder({
      'skills/python/skill.toml': writeManifest('python', 'python', 'code/main.py'),
      'skills/python/code/main.py': code,
      'skills/python/tests/a.test.toml': writeShown('shown', 'args = { kind = "x" }', more),
    })
    const reports = new Set<string>()
    for (let round = 0; round < CONTROL_ROUNDS; round++) reports.add(await report(cwd, round))
    expect(reports.size).toBe(CONTROL_ROUNDS)
  })

  it('differs with JavaScript that uses random bytes of the system (control)', async () => {
    const code = `import { randomUUID } from 'node:crypto'\nexport const main = () => randomUUID()\n`
    const cwd = createFolder({
      'skills/node/skill.toml': writeManifest('node', 'node', 'code/main.mjs'),
      'skills/node/code/main.mjs': code,
      'skills/node/tests/a.test.toml': writeShown('shown', 'args = { kind = "x" }'),
    })
    expect(await report(cwd, 1)).not.toBe(await report(cwd, 2))
  })
})
