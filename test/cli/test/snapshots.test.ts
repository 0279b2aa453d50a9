import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../src/cli/program.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const CODE = 'def main(args):\n    print("line")\n    return {"b": args.get("b"), "a": [1]}\n'
const CASES = `[[cases]]
name = "Returns: both!"
args = { b = "x" }
expect = [{ snapshot = "result" }, { snapshot = "logs" }]
`
const RESULT = 'tests/snapshots/echo/returns-both.result.json'
const LOGS = 'tests/snapshots/echo/returns-both.logs.txt'
const JSON_TEXT = '{\n  "a": [\n    1\n  ],\n  "b": "x"\n}\n'
const LOG_TEXT = 'line\n'
/** A machine that is not in CI. */
const LOCAL = { CI: '' }

function createSkill(more: Tree = {}): string {
  return createFolder({
    ...createActionSkill('demo.echo', { toml: '' }),
    'code/main.py': CODE,
    'tests/echo.test.toml': CASES,
    ...more,
  })
}

const listSnapshots = (cwd: string) => readdirSync(join(cwd, 'tests/snapshots/echo')).sort()
const read = (cwd: string, path: string) => readFileSync(join(cwd, path), 'utf8')

describe('a snapshot', () => {
  it('is pending until it is accepted', async () => {
    const cwd = createSkill()
    const first = await runSkills(['test'], { cwd, env: LOCAL })
    expect(first.code).toBe(1)
    expect(first.stdout).toContain('tests/echo.test.toml:4:11')
    expect(first.stdout).toContain('skills test review')
    expect(first.stdout).toContain('+  "b": "x"')
    expect(first.stderr).toContain('2 snapshots wait for a review')
    expect(listSnapshots(cwd)).toEqual([
      'returns-both.logs.txt.new',
      'returns-both.result.json.new',
    ])

    const listed = await runSkills(['test', 'review'], { cwd, env: LOCAL })
    expect(listed.code).toBe(1)
    expect(listed.stdout).toContain(`${RESULT} (pending)`)

    const accepted = await runSkills(['test', 'review', '--accept'], { cwd, env: LOCAL })
    expect(accepted).toMatchObject({ code: 0, stderr: '2 accepted, 0 rejected\n' })
    expect(read(cwd, RESULT)).toBe(JSON_TEXT)
    expect(read(cwd, LOGS)).toBe(LOG_TEXT)
    expect(await runSkills(['test'], { cwd, env: { CI: 'true' } })).toMatchObject({ code: 0 })
    expect(listSnapshots(cwd)).toEqual(['returns-both.logs.txt', 'returns-both.result.json'])
  })

  it('fails for another text, and a rejected text is gone', async () => {
    const cwd = createSkill({ [RESULT]: JSON_TEXT.replace('x', 'y'), [LOGS]: LOG_TEXT })
    const { code, stdout } = await runSkills(['test'], { cwd, env: LOCAL })
    expect(code).toBe(1)
    expect(stdout).toContain('-  "b": "y"')
    expect(stdout).toContain('+  "b": "x"')
    expect(await runSkills(['test', 'review', '--reject'], { cwd })).toMatchObject({ code: 0 })
    expect(listSnapshots(cwd)).toEqual(['returns-both.logs.txt', 'returns-both.result.json'])
    expect(read(cwd, RESULT)).toContain('"y"')
  })

  it('is replaced by --update, which keeps its elisions and removes obsolete ones', async () => {
    const cwd = createSkill({
      [RESULT]: '{\n...\n  "b": "y"\n}\n',
      [LOGS]: '[..]ne\n',
      'tests/snapshots/echo/old.result.json': '1\n',
      'tests/snapshots/gone/a.stdout.txt': 'a\n',
    })
    const updated = await runSkills(['test', '--update'], { cwd, env: LOCAL })
    expect(updated.code).toBe(0)
    expect(updated.stderr).toContain('Removed "tests/snapshots/echo/old.result.json"')
    expect(read(cwd, RESULT)).toBe('{\n...\n  "b": "x"\n}\n')
    expect(read(cwd, LOGS)).toBe('[..]ne\n')
    expect(listSnapshots(cwd)).toEqual(['returns-both.logs.txt', 'returns-both.result.json'])
    expect(existsSync(join(cwd, 'tests/snapshots/gone/a.stdout.txt'))).toBe(false)
  })

  it('removes a pending text that no longer applies', async () => {
    const cwd = createSkill({ [RESULT]: JSON_TEXT, [LOGS]: LOG_TEXT, [`${RESULT}.new`]: 'old' })
    expect(await runSkills(['test'], { cwd, env: LOCAL })).toMatchObject({ code: 0 })
    expect(listSnapshots(cwd)).toEqual(['returns-both.logs.txt', 'returns-both.result.json'])
  })

  it('is selected for the review by its path', async () => {
    const cwd = createSkill()
    await runSkills(['test'], { cwd, env: LOCAL })
    await runSkills(['test', 'review', '--accept', RESULT], { cwd })
    expect(listSnapshots(cwd)).toEqual(['returns-both.logs.txt.new', 'returns-both.result.json'])
    const again = await runSkills(['test', 'review', '--accept', RESULT], { cwd })
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('does not wait for a review')
  })

  it('of a file of the workspace is its text, and of a binary file its digest', async () => {
    const code =
      'def main(args):\n    open("out.md", "w").write("# hi\\n")\n    open("a.bin", "wb").write(bytes([0, 255]))\n'
    const cases = `[[cases]]
name = "writes"
expect = [{ snapshot = { file = "out.md" } }, { snapshot = "files" }]
`
    const cwd = createSkill({ 'code/main.py': code, 'tests/echo.test.toml': cases })
    expect(await runSkills(['test', '--update'], { cwd, env: LOCAL })).toMatchObject({ code: 0 })
    expect(read(cwd, 'tests/snapshots/echo/writes.out.md.txt')).toBe('# hi\n')
    expect(read(cwd, 'tests/snapshots/echo/writes.files.txt')).toMatch(
      /^-- created a\.bin --\nbinary file, 2 bytes, sha256:[0-9a-f]{64}\n-- created out\.md --\n# hi\n$/,
    )
  })
})

describe('in CI', () => {
  const env = { CI: 'true' }

  it('nothing is written, and a missing snapshot fails', async () => {
    const cwd = createSkill()
    const { code, stdout } = await runSkills(['test'], { cwd, env })
    expect(code).toBe(1)
    expect(stdout).toContain('In CI no snapshot is written')
    expect(existsSync(join(cwd, 'tests/snapshots'))).toBe(false)
  })

  it('an obsolete snapshot fails; elsewhere it is a notice', async () => {
    const obsolete = 'tests/snapshots/echo/old.stdout.txt'
    const cwd = createSkill({ [RESULT]: JSON_TEXT, [LOGS]: LOG_TEXT, [obsolete]: '' })
    const there = await runSkills(['test'], { cwd, env })
    expect(there.code).toBe(1)
    expect(there.stderr).toContain(`error No case needs "${obsolete}"`)
    const here = await runSkills(['test'], { cwd, env: LOCAL })
    expect(here.code).toBe(0)
    expect(here.stderr).toContain(`No case needs "${obsolete}"`)
    expect(existsSync(join(cwd, obsolete))).toBe(true)
    await runSkills(['test', 'review', '--accept'], { cwd })
    expect(existsSync(join(cwd, obsolete))).toBe(false)
  })

  it('--update is refused', async () => {
    const { code, stderr } = await runSkills(['test', '--update'], { cwd: createSkill(), env })
    expect(code).toBe(2)
    expect(stderr).toContain('--update is refused')
  })
})

describe('skills test review', () => {
  it('asks about each snapshot at a terminal', async () => {
    const cwd = createSkill()
    await runSkills(['test'], { cwd, env: LOCAL })
    // The first one is accepted by Enter; the second one is rejected by Down and Enter.
    const text = await answerReview(cwd, ['\r', '\u001b[B\r'])
    expect(text).toContain(`${LOGS} (pending)`)
    expect(text).toContain('1 accepted, 1 rejected')
    expect(listSnapshots(cwd)).toEqual(['returns-both.logs.txt'])
  })

  it('leaves the rest open after Ctrl-C', async () => {
    const cwd = createSkill()
    await runSkills(['test'], { cwd, env: LOCAL })
    expect(await answerReview(cwd, ['\u0003'])).toContain('0 accepted, 0 rejected, 2 still open')
    expect(listSnapshots(cwd)).toHaveLength(2)
  })

  it('shows no control characters of a run', async () => {
    const cwd = createSkill({ [RESULT]: JSON_TEXT, [LOGS]: LOG_TEXT })
    writeFileSync(join(cwd, `${LOGS}.new`), 'a\u001b]0;title\u0007b\n')
    const { stdout } = await runSkills(['test', 'review'], { cwd })
    expect(stdout).toContain('title')
    expect(stdout).not.toContain('\u001b]')
  })

  it('reports the snapshots as JSON', async () => {
    const cwd = createSkill({ [RESULT]: JSON_TEXT, [LOGS]: LOG_TEXT, [`${LOGS}.new`]: 'x' })
    const { json, code } = await runSkills(['test', 'review', '--json'], { cwd })
    expect(json()).toMatchObject({ snapshots: [{ path: LOGS, kind: 'pending' }], decision: null })
    expect(code).toBe(1)
  })
})

describe('a skill with links', () => {
  it('is refused before a snapshot is written outside', async () => {
    const outside = createFolder({ 'mine.txt': 'mine' })
    const cwd = createSkill()
    symlinkSync(outside, join(cwd, 'tests/snapshots'))
    const { code, stderr } = await runSkills(['test', '--update'], { cwd, env: LOCAL })
    expect(code).toBe(3)
    expect(stderr).toContain('"snapshots" must be a folder, got a symbolic link')
    expect(readdirSync(outside)).toEqual(['mine.txt'])
  })
})

/** Types answers at the prompts, each when the next prompt is shown, and returns the output. */
async function answerReview(cwd: string, answers: readonly string[]): Promise<string> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  let output = ''
  let typed = 0
  stdout.resume()
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
    const shown = output.split('Decide later').length - 1
    const next = answers[typed]
    if (next !== undefined && shown > typed) {
      typed += 1
      setTimeout(() => stdin.write(next), 50)
    }
  })
  const env = { ...INHERITED_ENV, HOME: cwd, TERM: 'xterm', NO_COLOR: '1', ...LOCAL }
  const { signal } = new AbortController()
  await runCommandLine(['test', 'review'], { cwd, env, stdin, stdout, stderr, signal })
  return output
}
