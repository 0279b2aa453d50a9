import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const ENV = { CI: '' }
const CASES = `[[cases]]
name = "small"
args = { n = 1 }
expect = [{ status = "completed" }]
`

const PYTHON = `"""A module."""
import helper


def main(args):
    if args["n"] > 10:
        return helper.large(
            args,
        )
    values = [each for each in range(3)]
    # A comment.

    return helper.small(values)


def unused():
    return 1
`
const HELPER = `def small(values):
    return len(values)


def large(args):
    value = args["n"]
    return value
`

/** Lines without an execution, by file, from the lcov report. */
async function listMissed(cwd: string, argv: readonly string[] = [], isCold = false) {
  const file = join(cwd, 'coverage.lcov')
  const options = ['--coverage-report', `lcov=${file}`, ...argv]
  const ran = await runSkills(['test', ...options], { cwd, env: ENV, isCold })
  const missed: Record<string, number[]> = {}
  let path = ''
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    if (line.startsWith('SF:')) {
      path = line.slice(3)
      missed[path] = []
    }
    const [, number, count] = /^DA:(\d+),(\d+)$/.exec(line) ?? []
    if (count === '0') missed[path]?.push(Number(number))
  }
  return { missed, ...ran }
}

function createSkill(tree: Tree): string {
  return createFolder({
    ...createActionSkill('demo.cover', { toml: '' }),
    'tests/a.test.toml': CASES,
    ...tree,
  })
}

function createNodeSkill(language: 'node' | 'typescript', file: string, tree: Tree): string {
  const skill = createActionSkill('demo.cover', { toml: '' })
  const toml = String(skill['skill.toml'])
    .replace('language = "python"', `language = "${language}"`)
    .replace('code/main.py', file)
  const { 'code/main.py': _, ...rest } = skill
  return createFolder({ ...rest, 'skill.toml': toml, 'tests/a.test.toml': CASES, ...tree })
}

describe('coverage of Python', () => {
  it.each([
    ['warm', false],
    ['cold', true],
  ])('of %s runs names exactly the lines that no case executed', async (_, isCold) => {
    const cwd = createSkill({ 'code/main.py': PYTHON, 'code/helper.py': HELPER })
    const { missed, stderr, code } = await listMissed(cwd, [], isCold)
    expect(code).toBe(0)
    expect(missed).toEqual({ 'code/main.py': [7, 8, 17], 'code/helper.py': [6, 7] })
    expect(stderr).toContain('not executed: 7-8, 17')
  })

  it('does not count the body of "if TYPE_CHECKING"', async () => {
    const code =
      'from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from runtime import Inputs\n\n\ndef main(args):\n    return 1\n'
    const { missed } = await listMissed(createSkill({ 'code/main.py': code }))
    expect(missed).toEqual({ 'code/main.py': [] })
  })

  it('adds up cases', async () => {
    const cases = CASES + CASES.replace('small', 'large').replace('n = 1', 'n = 11')
    const cwd = createSkill({
      'code/main.py': PYTHON,
      'code/helper.py': HELPER,
      'tests/a.test.toml': cases,
    })
    const { missed } = await listMissed(cwd)
    expect(missed).toEqual({ 'code/main.py': [17], 'code/helper.py': [] })
  })

  it('has the lines of threads, forks, failed runs and child processes, and files without a run', async () => {
    const main = `import os, subprocess, sys, threading


def in_thread():
    return 1


def in_fork():
    return 2


def main(args):
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    pid = os.fork()
    if pid == 0:
        in_fork()
        os._exit(0)
    os.waitpid(pid, 0)
    here = os.path.dirname(__file__)
    subprocess.run([sys.executable, os.path.join(here, "child.py")], check=True)
    raise ValueError("expected")
`
    const cwd = createSkill({
      'code/main.py': main,
      'code/child.py':
        'def run():\n    return 1\n\n\nif len(__name__) > 99:\n    print(0)\nrun()\n',
      'code/other.py': 'value = 1\n\n\ndef function():\n    return value\n',
      'tests/a.test.toml': CASES.replace('completed', 'failed'),
    })
    const { missed, code } = await listMissed(cwd)
    expect(code).toBe(0)
    expect(missed).toEqual({
      'code/main.py': [],
      'code/child.py': [6],
      'code/other.py': [1, 4, 5],
    })
  })

  it('of commands is that of their Python processes, and no file of it is a created file', async () => {
    const cases = `[[cases]]
name = "command"
command = "python3 code/tool.py"
expect = [{ exit_code = 0 }, { stdout = { equals = "small\\n" } }, { snapshot = "files" }]
`
    const tool =
      'import sys\n\nif len(sys.argv) > 1:\n    print("large")\nelse:\n    print("small")\n'
    const cwd = createSkill({
      'code/main.py': 'def main(args):\n    return 1\n',
      'code/tool.py': tool,
      'tests/a.test.toml': cases,
    })
    const { missed, code, stdout } = await listMissed(cwd, ['--update'])
    expect(code, stdout).toBe(0)
    expect(readFileSync(join(cwd, 'tests/snapshots/a/command.files.txt'), 'utf8')).toBe(
      'No file was created, changed or deleted\n',
    )
    expect(missed).toEqual({ 'code/main.py': [1, 2], 'code/tool.py': [4] })
  })
})

describe('coverage of JavaScript', () => {
  const MAIN = `import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { helper } from './helper.mjs'

/* A comment. */
export async function main(args) {
  if (args.n > 10) {
    return 'large'
  }
  const small = [1, 2].map((each) =>
    each + 1,
  )
  const child = fileURLToPath(new URL('./child.mjs', import.meta.url))
  spawnSync(process.execPath, [child])
  try {
    helper(args)
  } catch {
    return small
  }
}

function unused() {
  return 1
}
`
  it(
    'names exactly the lines that no case executed, with child processes',
    { tags: ['slow'] },
    async () => {
      const cwd = createNodeSkill('node', 'code/main.mjs', {
        'code/main.mjs': MAIN,
        'code/helper.mjs':
          'export const helper = ({ n }) => {\n  if (n === 0) return 0\n  throw new Error()\n  n++\n}\n',
        'code/child.mjs': 'const value = 1\nif (value > 1) {\n  console.log(0)\n}\n',
        'code/never.mjs': 'export const value = 1\n',
      })
      const { missed, code, stdout } = await listMissed(cwd)
      expect(code, stdout).toBe(0)
      expect(missed).toEqual({
        'code/main.mjs': [8, 23],
        'code/helper.mjs': [4],
        'code/child.mjs': [3],
        'code/never.mjs': [1],
      })
    },
  )

  it('of TypeScript has the lines of the source', { tags: ['slow'] }, async () => {
    const main = `interface Args {
  n: number
}

enum Size {
  Small,
  Large,
}

export function main(args: Args): string {
  if (args.n > 10) {
    return Size[Size.Large]
  }
  const name: string = Size[Size.Small]
  return name
}

export function unused<T>(value: T): T {
  return value
}
`
    const cwd = createNodeSkill('typescript', 'code/main.ts', { 'code/main.ts': main })
    const { missed, code, stdout } = await listMissed(cwd)
    expect(code, stdout).toBe(0)
    expect(missed).toEqual({ 'code/main.ts': [12, 19] })
  })
})

describe('coverage of the interface', () => {
  it('names unused inputs, values, hosts, secrets, examples and errors', async () => {
    const toml = `
[inputs]
n = { type = "integer", required = true }
size = { type = "string", enum = ["s", "l"], default = "s" }
other = { type = "string" }

[permissions]
network = ["https://api.example.com"]
secrets = ["TOKEN", "OTHER"]
`
    const readme =
      '---\nname: cover\ndescription: Covers.\n---\n# Cover\n\n```sh\nskills exec demo.cover --arg n=1\nskills exec demo.cover --arg n=2\n```\n'
    const cwd = createFolder({
      ...createActionSkill('demo.cover', { toml }),
      'SKILL.md': readme,
      'code/main.py': 'def main(args):\n    return 1\n',
      'tests/a.test.toml': `${CASES}secrets = { TOKEN = "fake" }\n`,
    })
    const { stderr, code } = await listMissed(cwd, ['--threshold', 'interface=50'])
    expect(stderr.match(/not used: .*/g)).toEqual([
      'not used: input size',
      'not used: enum value size = "l"',
      'not used: input other',
      'not used: host https://api.example.com',
      'not used: secret OTHER',
      'not used: example n=2',
      'not used: error a run that fails',
    ])
    expect(stderr).toContain('The coverage of interface is 36.3 %, expected at least 50 %')
    expect(code).toBe(1)
  })
})

describe('coverage reports', () => {
  it('are Cobertura and one page of HTML, in which file contents are text', async () => {
    const code = 'def main(args):\n    return "<script>alert(1)</script>"\n'
    const cwd = createSkill({ 'code/main.py': code })
    const argv = ['--coverage-report', 'cobertura=c.xml', '--coverage-report', 'html=c.html']
    expect(await listMissed(cwd, argv)).toMatchObject({ code: 0 })
    const xml = readFileSync(join(cwd, 'c.xml'), 'utf8')
    expect(xml).toContain('<class name="code/main.py" filename="code/main.py" line-rate="1.0000"')
    expect(xml).toContain('<line number="2" hits="1"/>')
    const html = readFileSync(join(cwd, 'c.html'), 'utf8')
    expect(html).toContain('&lt;script&gt;')
    expect(html).not.toContain('<script>')
  })

  it.each([
    [['--coverage-report', 'xml=a'], 'The names are text, lcov, cobertura, html'],
    [['--coverage-report', 'lcov'], 'Expected --coverage-report name=file, got "lcov"'],
    [['--threshold', '101'], 'Expected a percentage after --threshold, got "101"'],
    [['--threshold', 'branches=1'], 'Write it as --threshold 80'],
  ])('refuse %j', async (argv, message) => {
    const { code, stderr } = await runSkills(['test', ...argv], { cwd: createFolder(), env: ENV })
    expect({ code, stderr }).toMatchObject({ code: 2 })
    expect(stderr).toContain(message)
  })

  it('need a sandbox', async () => {
    const cwd = createSkill({ 'code/main.py': 'def main(args):\n    return 1\n' })
    const env = { ...ENV, SKILLS_RUN_BACKEND: 'process' }
    const { code, stderr } = await runSkills(['test', '--coverage'], { cwd, env })
    expect(code).toBe(2)
    expect(stderr).toContain('Coverage needs a sandbox')
  })
})
