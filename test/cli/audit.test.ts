import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../src/core/audit/audit-log.ts'
import type { AuditEntry } from '../../src/core/audit/audit-record.ts'
import { createEntry } from '../core/audit/entries.ts'
import { startProgram } from '../helpers/program.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const AUDIT = '.local/share/skills/audit'

/** A home folder with a log of these entries. */
async function home(entries: readonly Partial<AuditEntry>[]) {
  const HOME = createFolder()
  const log = openAuditLog(join(HOME, AUDIT), { maxFileBytes: 3000 })
  for (const each of entries) await log.append(createEntry(each), { durable: true })
  return { cwd: HOME, env: { HOME } }
}

const denied: Partial<AuditEntry> = {
  event: 'denied',
  run_id: 'run_dddd00000000000000000000',
  who: { door: 'http', caller: 'guest' },
  request: {
    skills: [],
    language: 'shell',
    repository: 'app',
    cwd: 'src',
    timeout_ms: 1,
    network: [],
    environment: [],
  },
  decision: {
    ...createEntry().decision,
    allowed: false,
    code: 'runtime-not-allowed',
    layer: 'policy',
    reasons: ['No'],
    rules: ['guests'],
  },
}
const result = { status: 'completed', exit_code: 0, signal: null, duration_ms: 5, isolation: 'x' }
const SOME = [
  { event: 'begun', run_id: 'run_aaaa00000000000000000000' },
  denied,
  { event: 'ended', run_id: 'run_aaaa00000000000000000000', result },
  { event: 'begun', run_id: 'run_bbbb00000000000000000000', kind: 'run_code' },
  {
    event: 'ended',
    run_id: 'run_cccc00000000000000000000',
    kind: 'execute_skill',
    request: { ...createEntry().request, skills: ['acme.one@1.0.0'] },
    result: { ...result, status: 'failed' },
  },
] as const

const numbers = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number(line.split(' ')[0]))

describe('skills audit ls', () => {
  it('lists decisions and their results, newest first', async () => {
    const at = await home(SOME)
    const { code, stdout } = await runSkills(['audit', 'ls'], at)
    expect(code).toBe(0)
    expect(numbers(stdout)).toEqual([5, 4, 3, 2])
    expect(stdout).toMatch(/^5 .* failed +alice \(http\) +execute_skill acme\.one@1\.0\.0$/m)
    expect(stdout).toMatch(/^3 .* completed +alice/m)
    expect(stdout).toMatch(/^4 .* begun +alice \(http\) +run_code python$/m)
    expect(stdout).toMatch(/^2 .* runtime-not-allowed +guest \(http\) +execute shell in app\/src$/m)
  })

  it.each([
    [['--denied'], [2]],
    [
      ['--event', 'begun'],
      [4, 1],
    ],
    [['--kind', 'execute_skill'], [5]],
    [['--layer', 'policy'], [2]],
    [['--code', 'runtime-not-allowed'], [2]],
    [['--code', 'other'], []],
    [['--caller', 'guest'], [2]],
    [['--repo', 'app'], [2]],
    [['--skill', 'acme.one'], [5]],
    [['--skill', 'acme.one@2.0.0'], []],
    [['--language', 'shell'], [2]],
    [['--rule', 'guests'], [2]],
    [['--run', 'aaaa'], [3]],
    [['--run', 'run_aaaa'], [3]],
    [
      ['--since', '1h'],
      [5, 4, 3, 2],
    ],
    [['--until', '1h'], []],
    [['--since', '2999-01-01'], []],
    [
      ['--limit', '2'],
      [5, 4],
    ],
    [
      ['--before', '4'],
      [3, 2],
    ],
    [['--denied', '--caller', 'alice'], []],
  ])('%j keeps %j', async (argv, expected) => {
    const { code, stdout, stderr } = await runSkills(['audit', 'ls', ...argv], await home(SOME))
    expect(code).toBe(0)
    expect(numbers(stdout)).toEqual(expected)
    if (expected.length === 0) expect(stderr).toContain('No matching decisions')
  })

  it('prints one JSON document per page', async () => {
    const at = await home(SOME)
    const first = (await runSkills(['audit', 'ls', '--limit', '2', '--json'], at)).json()
    expect(first).toMatchObject({ schema: 'skills.audit/v1', next_before: 4 })
    const next = ['audit', 'ls', '--limit', '2', '--before', '4', '--json']
    expect((await runSkills(next, at)).json()).toMatchObject({
      records: [{ seq: 3 }, { seq: 2 }],
      next_before: null,
    })
  })

  it.each([
    [['ls', '--since', 'soon'], /Expected a date or a duration for --since, got "soon"/],
    [['ls', '--limit', '0'], /Expected a whole number above 0/],
    [['ls', '--event', 'denid'], /denid/],
    [['ls', '--denied', '--event', 'begun'], /--denied cannot be combined/],
    [['verify', '--anchor', '1'], /Expected a number, a colon and 64 hex digits/],
    [['export', '--until', '25-1-1'], /Expected a date/],
  ])('rejects %j', async (argv, message) => {
    const finished = await runSkills(['audit', ...argv], await home([]))
    expect(finished).toMatchObject({ code: 2, stdout: '' })
    expect(finished.stderr).toMatch(message)
  })

  it('escapes control characters on a terminal', async () => {
    const at = await home([{ who: { door: 'http', caller: 'a\u001b[2J' } }])
    expect((await runSkills(['audit', 'ls'], at)).stdout).not.toContain('\u001b')
  })
})

describe('skills audit verify', () => {
  it('exits with 0 for an intact log, and prints an anchor', async () => {
    const at = await home(SOME)
    const { code, stdout } = await runSkills(['audit', 'verify'], at)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^intact 5 records in \d files?\nanchor 5:[0-9a-f]{64}\n$/)
    const anchor = /anchor (\S+)/.exec(stdout)?.[1] ?? ''
    expect((await runSkills(['audit', 'verify', '--anchor', anchor], at)).code).toBe(0)
    const other = anchor.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    expect(await runSkills(['audit', 'verify', '--anchor', other], at)).toMatchObject({ code: 1 })
  })

  it('exits with 1 for a changed log, and reports the location', async () => {
    const at = await home(SOME)
    const dir = join(at.cwd, AUDIT)
    const [name = ''] = readdirSync(dir).filter((each) => each.endsWith('.jsonl'))
    const text = readFileSync(join(dir, name), 'utf8')
    writeFileSync(join(dir, name), text.replace('"alice"', '"alisa"'))
    const { code, stdout } = await runSkills(['audit', 'verify'], at)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^changed 0{15}1\.jsonl:1: Record 1 was changed$/m)
    expect(stdout).toMatch(/^not intact 5 records/m)
    expect((await runSkills(['audit', 'verify', '--json'], at)).json()).toMatchObject({
      schema: 'skills.audit-report/v1',
      ok: false,
      problems: [{ code: 'changed', seq: 1 }],
    })
  })

  it('accepts a missing log', async () => {
    expect(await runSkills(['audit', 'verify'], await home([]))).toMatchObject({
      code: 0,
      stdout: 'intact 0 records in 0 files\n',
    })
  })
})

describe('skills audit verify with run records', () => {
  it('detects a log that was removed or replaced', async () => {
    const HOME = createFolder({ 'quick.py': 'def main(args):\n    return 1\n' })
    const at = { cwd: HOME, env: { HOME } }
    expect((await runSkills(['run-code', 'quick.py'], at)).code).toBe(0)
    expect((await runSkills(['audit', 'verify'], at)).code).toBe(0)
    rmSync(join(HOME, AUDIT), { recursive: true })
    const removed = await runSkills(['audit', 'verify'], at)
    expect(removed.code).toBe(1)
    expect(removed.stdout).toMatch(/^run Record 1, the first one of run_[0-9a-f]+, is missing$/m)
    const log = openAuditLog(join(HOME, AUDIT), { maxFileBytes: 3000 })
    await log.append(createEntry(), { durable: true })
    expect((await runSkills(['audit', 'verify'], at)).stdout).toMatch(
      /the first one of run_[0-9a-f]+, has a different hash$/m,
    )
  })
})

describe('skills audit export', () => {
  it('prints lines unchanged, oldest first', async () => {
    const at = await home(SOME)
    const dir = join(at.cwd, AUDIT)
    const written = readdirSync(dir)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .map((name) => readFileSync(join(dir, name), 'utf8'))
    expect(written.length).toBeGreaterThan(1)
    const { code, stdout } = await runSkills(['audit', 'export'], at)
    expect(code).toBe(0)
    expect(stdout).toBe(written.join(''))
    const some = await runSkills(['audit', 'export', '--denied'], at)
    expect(some.stdout.trim().split('\n')).toHaveLength(1)
    expect(
      (await runSkills(['audit', 'export', '--kind', 'run_code', '--json'], at)).json(),
    ).toMatchObject({
      schema: 'skills.audit/v1',
      records: [{ seq: 4, kind: 'run_code' }],
    })
  })
})

describe('the audit log of command lines', () => {
  it('contains the start of a killed run, in an intact chain', async () => {
    const HOME = createFolder()
    const at = { cwd: HOME, env: { HOME } }
    const code =
      'def main(args):\n    import time\n    print("began", flush=True)\n    time.sleep(60)\n'
    writeFileSync(join(HOME, 'slow.py'), code)
    const running = startProgram(['run-code', 'slow.py'], at)
    await running.says('began')
    running.signal('SIGKILL')
    await running.ended
    expect((await runSkills(['audit', 'ls'], at)).stdout).toMatch(
      /^1 .* begun .* run_code python\n$/,
    )
    expect((await runSkills(['audit', 'verify'], at)).code).toBe(0)
    writeFileSync(join(HOME, 'quick.py'), 'def main(args):\n    return 1\n')
    expect((await runSkills(['run-code', 'quick.py'], at)).code).toBe(0)
    expect(numbers((await runSkills(['audit', 'ls'], at)).stdout)).toEqual([3, 1])
    expect((await runSkills(['audit', 'verify'], at)).code).toBe(0)
  }, 60_000)
})
