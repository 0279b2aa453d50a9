// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL, createExampleToml } from '../../src/core/lint/example-skill.ts'
import { copySources } from '../helpers/packed.ts'
import { writeTree } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const missing = spawnSync('pre-commit', ['--version']).status !== 0
/** pre-commit may be absent on a contributor's machine, but not in CI. */
const skipped = missing && !process.env['CI']

const folders: string[] = []
let hooks = ''
let cache = ''

function createFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skills-hooks-'))
  folders.push(dir)
  return dir
}

function run(cwd: string, program: string, ...args: string[]) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:GIT|PRE_COMMIT)_/.test(name)),
  )
  const author = { NAME: 'Test', EMAIL: 'test@example.org' }
  const done = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: {
      ...env,
      PRE_COMMIT_HOME: cache,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: author.NAME,
      GIT_AUTHOR_EMAIL: author.EMAIL,
      GIT_COMMITTER_NAME: author.NAME,
      GIT_COMMITTER_EMAIL: author.EMAIL,
      npm_config_prefer_offline: 'true',
    },
  })
  return { code: done.status, output: `${done.stdout}${done.stderr}` }
}

function runOrThrow(cwd: string, program: string, ...args: string[]): string {
  const { code, output } = run(cwd, program, ...args)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${output}`)
  return output.trim()
}

/** Creates a repository of hooks from the sources, as a user's configuration references it. */
function hookRepository(): string {
  const copy = copySources()
  folders.push(copy)
  rmSync(join(copy, 'node_modules'))
  for (const file of ['.pre-commit-hooks.yaml', '.gitignore'])
    cpSync(join(ROOT, file), join(copy, file))
  runOrThrow(copy, 'git', 'init', '--quiet')
  runOrThrow(copy, 'git', 'add', '--all')
  runOrThrow(copy, 'git', 'commit', '--quiet', '--message=hooks')
  return copy
}

function repository(hook: string): string {
  const dir = createFolder()
  const rev = runOrThrow(hooks, 'git', 'rev-parse', 'HEAD')
  runOrThrow(dir, 'git', 'init', '--quiet')
  const config = `default_language_version: { node: system }
repos:
  - repo: ${hooks}
    rev: ${rev}
    hooks: [{ id: ${hook} }]
`
  writeFileSync(join(dir, '.pre-commit-config.yaml'), config)
  runOrThrow(dir, 'pre-commit', 'install')
  return dir
}

function commit(dir: string) {
  runOrThrow(dir, 'git', 'add', '--all')
  return run(dir, 'git', 'commit', '--message=change')
}

function skill(name: string, changes: Record<string, string> = {}) {
  const files = Object.entries({ ...EXAMPLE_SKILL, ...changes })
  return Object.fromEntries(files.map(([path, text]) => [`skills/${name}/${path}`, text]))
}

const BAD = { 'skill.toml': createExampleToml({ version: '"1.0"' }) }
const suffix = skipped ? ' (not run: pre-commit is not installed: apt-get install pre-commit)' : ''

describe.skipIf(skipped)(`the hooks under the real pre-commit${suffix}`, () => {
  beforeAll(() => {
    if (missing) throw new Error('pre-commit is not installed, but CI must have it')
    cache = createFolder()
    hooks = hookRepository()
  })

  afterAll(() => {
    for (const dir of folders) rmSync(dir, { recursive: true, force: true })
  })

  it('reject a commit with an invalid skill and accept it once fixed', () => {
    const dir = repository('skills-lint')
    writeTree(dir, { ...skill('greet', BAD), 'scripts/build.sh': 'true  \n' })
    const refused = commit(dir)
    expect(refused.code, refused.output).toBe(1)
    expect(refused.output).toContain('version is "1.0", expected a semantic version')
    expect(run(dir, 'git', 'rev-parse', '--verify', 'HEAD').code).not.toBe(0)
    writeTree(dir, skill('greet'))
    const passed = commit(dir)
    expect(passed.code, passed.output).toBe(0)
    expect(passed.output).toMatch(/skills lint\.+Passed/)
  }, 300_000) // pre-commit first installs and builds the package.

  it('reject a commit whose skill fails its tests', () => {
    const dir = repository('skills-test')
    const test = (exitCode: number) => ({
      'tests/a.test.toml': `[[cases]]\nname = "runs"\ncommand = "true"\nexpect = [{ exit_code = ${exitCode} }]\n`,
    })
    writeTree(dir, skill('greet', test(1)))
    const refused = commit(dir)
    expect(refused.code, refused.output).toBe(1)
    expect(refused.output).toContain('Expected the exit code 1, got 0')
    writeTree(dir, skill('greet', test(0)))
    const passed = commit(dir)
    expect(passed.code, passed.output).toBe(0)
    expect(passed.output).toMatch(/skills test\.+Passed/)
  }, 300_000)

  it('ignore files outside of skills and unchanged skills', () => {
    const dir = repository('skills-lint')
    writeTree(dir, skill('greet', BAD))
    runOrThrow(dir, 'git', 'add', '--all')
    runOrThrow(dir, 'git', 'commit', '--quiet', '--no-verify', '--message=unchecked')
    writeTree(dir, { 'scripts/build.sh': 'true  \n', 'notes.txt': 'x  \n' })
    const passed = commit(dir)
    expect(passed.code, passed.output).toBe(0)
    expect(passed.output).toMatch(/skills lint\.+Passed/)
  })

  it('reject a commit that only deletes a file to which SKILL.md links', () => {
    const dir = repository('skills-lint')
    const text = `${EXAMPLE_SKILL['SKILL.md']}\nSee [notes](references/notes.md).\n`
    const notes = { 'SKILL.md': text, 'references/notes.md': 'Notes\n' }
    writeTree(dir, skill('greet', notes))
    const passed = commit(dir)
    expect(passed.code, passed.output).toBe(0)
    rmSync(join(dir, 'skills/greet/references/notes.md'))
    const refused = commit(dir)
    expect(refused.code, refused.output).toBe(1)
    expect(refused.output).toContain('"references/notes.md" is not a file of the skill')
  })

  it('apply automatic fixes and stop the commit for review', () => {
    const dir = repository('skills-lint-fix')
    const text = EXAMPLE_SKILL['SKILL.md'] as string
    writeTree(dir, skill('greet', { 'SKILL.md': text.replaceAll('\n', '\r\n') }))
    const stopped = commit(dir)
    expect(stopped.code, stopped.output).toBe(1)
    expect(stopped.output).toContain('files were modified by this hook')
    expect(readFileSync(join(dir, 'skills/greet/SKILL.md'), 'utf8')).toBe(text)
    const passed = commit(dir)
    expect(passed.code, passed.output).toBe(0)
  })
})
