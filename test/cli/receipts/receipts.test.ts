import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../../src/core/audit/audit-record.ts'
import { CHAIN_START, encodeLine, type ChainLink } from '../../../src/core/audit/chain.ts'
import { signEnvelope, formatEnvelope } from '../../../src/core/signing/envelope/dsse.ts'
import { openKeyStore } from '../../../src/core/signing/keys/key-store.ts'
import { parseSealedJson, sealJson } from '../../../src/util/sealed-json.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, writeTree, type CliResult } from '../../helpers/skills.ts'

const AUDIT = '.local/share/skills/audit'
const RUNS = '.local/share/skills/runs'
const TIMEOUT = 60_000

interface Site {
  cwd: string
  run(...argv: string[]): Promise<CliResult>
  ids: string[]
}

interface Statement {
  predicate: {
    recorded: Record<string, unknown>
    audited: { outputs: Record<string, string> }
    chain: { begun: ChainLink; ended: ChainLink }
  }
}

function openSite(cwd: string, ids: string[]): Site {
  return { cwd, ids, run: async (...argv) => await runSkills(argv, { cwd, env: { HOME: cwd } }) }
}

let template: Site

/** A machine with two runs, a key, and a receipt of the first run. */
beforeAll(async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'skills-receipts-'))
  writeTree(cwd, prefixPaths('skills/greet', createActionSkill('demo.greet')))
  template = openSite(cwd, [])
  const { run } = template
  for (const argv of [
    ['keys', 'new', 'release'],
    ['keys', 'trust', 'release', '--own', '--source', '*'],
    ['exec', 'demo.greet', '--arg', 'name=Marigold'],
    ['exec', 'demo.greet', '--arg', 'name=Second'],
  ]) {
    const { code, stderr } = await run(...argv)
    expect(stderr).not.toContain('✗')
    expect(code).toBe(0)
  }
  template.ids = (await run('runs', 'ls', '--ids')).stdout.trim().split('\n').toReversed()
  expect(await run('runs', 'receipt', template.ids[0]!, '--out', 'r.jsonl')).toMatchObject({
    code: 0,
  })
}, TIMEOUT)

afterAll(() => rmSync(template.cwd, { recursive: true, force: true }))

/** A copy of the machine that a test may change. */
function copySite(): Site {
  const cwd = createFolder()
  cpSync(template.cwd, cwd, { recursive: true, verbatimSymlinks: true })
  return openSite(cwd, template.ids)
}

function readStatement(cwd: string): Statement {
  const { payload } = JSON.parse(readFileSync(join(cwd, 'r.jsonl'), 'utf8')) as { payload: string }
  return JSON.parse(Buffer.from(payload, 'base64').toString()) as Statement
}

/** Changes the statement, with the signature as it was. */
function changeStatement(cwd: string, change: (statement: Statement) => void): void {
  const file = join(cwd, 'r.jsonl')
  const envelope = JSON.parse(readFileSync(file, 'utf8')) as { payload: string }
  const statement = readStatement(cwd)
  change(statement)
  envelope.payload = Buffer.from(JSON.stringify(statement)).toString('base64')
  writeFileSync(file, `${JSON.stringify(envelope)}\n`)
}

/** Signs the statement of the file again, as a dishonest owner of a trusted key can. */
async function signAgain(cwd: string): Promise<void> {
  const file = join(cwd, 'r.jsonl')
  const key = await openKeyStore(join(cwd, '.config/skills/keys')).open('release', async () => '')
  const payload = Buffer.from(JSON.stringify(readStatement(cwd)))
  const envelope = signEnvelope('application/vnd.in-toto+json', payload, key)
  writeFileSync(file, `${formatEnvelope(envelope)}\n`)
}

async function verify({ run }: Site, ...argv: string[]) {
  const result = await run('runs', 'receipt', ...argv, '--verify', 'r.jsonl', '--json')
  return { ...result.json(), code: result.code } as {
    code: number
    state: string
    log: string
    record: string
    problems: string[]
  }
}

function findSegment(cwd: string): string {
  const name = readdirSync(join(cwd, AUDIT)).find((each) => /^\d+\.jsonl$/.test(each))
  return join(cwd, AUDIT, name ?? 'missing')
}

/** Writes the whole log again after a change, with correct hashes and head. */
function rewriteLog(cwd: string, change: (record: AuditRecord) => void): void {
  const file = findSegment(cwd)
  let link = CHAIN_START
  let text = ''
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const record = JSON.parse(line) as AuditRecord
    change(record)
    const { seq: _seq, prev: _prev, hash: _hash, time, ...entry } = record
    const encoded = encodeLine(entry, link, new Date(time))
    text += encoded.line
    link = encoded.link
  }
  writeFileSync(file, text)
  writeFileSync(join(cwd, AUDIT, 'head.json'), JSON.stringify(link))
}

/** Changes the stored record of a run, with a correct seal. */
function changeRecord(cwd: string, id: string, changes: object): void {
  const files = readdirSync(join(cwd, RUNS), { recursive: true, encoding: 'utf8' })
  const name = files.find((each) => each.includes(id.replace('run_', '')))
  const file = join(cwd, RUNS, name ?? 'missing')
  const [first = '', second = '', ...rest] = readFileSync(file, 'utf8').split('\n')
  const stored = parseSealedJson(second) as { record: object }
  Object.assign(stored.record, changes)
  writeFileSync(file, [first, sealJson(stored), ...rest].join('\n'))
}

describe('a receipt', () => {
  it('is verified by the signature, the audit log and the run record', async () => {
    const site = copySite()
    expect(await verify(site, site.ids[0]!)).toMatchObject({
      state: 'verified',
      log: 'compared',
      record: 'compared',
      problems: [],
      code: 0,
    })
    const { stdout } = await site.run('runs', 'receipt', '--verify', 'r.jsonl')
    expect(stdout).toMatch(new RegExp(`^verified ${site.ids[0]}\n`))
  })

  it('has digests, the policy, isolation, limits and the chain, and no argument and no output', () => {
    const text = JSON.stringify(readStatement(template.cwd))
    expect(text).not.toMatch(/Marigold|Hello/)
    expect(readStatement(template.cwd)).toMatchObject({
      predicateType: 'urn:skills-protocol:receipt:v1',
      predicate: {
        recorded: {
          run_id: template.ids[0],
          status: 'completed',
          skills: [{ name: 'demo.greet', digest: expect.stringMatching(/^sha256:/) as string }],
          isolation: { backend: expect.any(String) as string },
          limits: { wall_ms: expect.any(Number) as number },
        },
        audited: {
          inputs: { args: expect.stringMatching(/^sha256:/) as string },
          outputs: { output: expect.stringMatching(/^sha256:/) as string },
          policy: { allowed: true },
        },
        chain: { begun: { seq: 1 }, head: { seq: 4 } },
      },
    })
  })

  it('with a changed statement is untrusted', async () => {
    const site = copySite()
    changeStatement(site.cwd, ({ predicate }) => void (predicate.recorded['status'] = 'failed'))
    expect(await verify(site)).toMatchObject({ state: 'untrusted', code: 1 })
  })

  it('that a trusted key signed over false facts is contradicted by the log and the record', async () => {
    for (const change of [
      ({ predicate }: Statement) => void (predicate.recorded['duration_ms'] = 1),
      ({ predicate }: Statement) => void (predicate.audited.outputs['output'] = 'sha256:00'),
      ({ predicate }: Statement) => void (predicate.chain.ended.seq = 4),
    ]) {
      const site = copySite()
      changeStatement(site.cwd, change)
      await signAgain(site.cwd)
      expect(await verify(site)).toMatchObject({ state: 'changed', code: 1 })
      // Control: without the stores, the signature alone accepts the same statement.
      rmSync(join(site.cwd, '.local'), { recursive: true })
      expect(await verify(site)).toMatchObject({ state: 'verified', log: 'absent' })
    }
  })

  it('of a run whose record was changed is refused, and no other is written', async () => {
    const site = copySite()
    changeRecord(site.cwd, site.ids[0]!, { summary: 'forged' })
    expect(await verify(site)).toMatchObject({
      state: 'changed',
      problems: ['The run record is not the one of the receipt'],
      code: 1,
    })
    const { code, stderr } = await site.run('runs', 'receipt', site.ids[0]!, '--out', 'n.jsonl')
    expect(stderr).toMatch(/There is no receipt of .*: The run record .* was changed/)
    expect(code).toBe(3)
  })

  it('of a run whose audit entry was changed is refused, and no other is written', async () => {
    const site = copySite()
    const file = findSegment(site.cwd)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"completed"', '"cancelled"'))
    expect(await verify(site)).toMatchObject({ state: 'changed', code: 1 })
    const { code, stderr } = await site.run('runs', 'receipt', site.ids[0]!, '--out', 'n.jsonl')
    expect(stderr).toMatch(/Record \d was changed/)
    expect(code).toBe(3)
  })

  it('is refused by a log that was written again with correct hashes', async () => {
    const site = copySite()
    rewriteLog(site.cwd, () => {})
    expect(await verify(site)).toMatchObject({ state: 'verified' })
    rewriteLog(site.cwd, (record) => {
      if (record.event === 'ended' && record.result) record.result.status = 'cancelled'
    })
    rmSync(join(site.cwd, RUNS), { recursive: true })
    expect(await verify(site)).toMatchObject({ state: 'changed', record: 'absent', code: 1 })
  })

  it('of another run is not the expected one', async () => {
    const site = copySite()
    expect(await verify(site, site.ids[1]!)).toMatchObject({ state: 'other', code: 1 })
    changeStatement(site.cwd, ({ predicate }) => void (predicate.recorded['run_id'] = site.ids[1]))
    await signAgain(site.cwd)
    expect(await verify(site, site.ids[1]!)).toMatchObject({ state: 'changed', code: 1 })
  })

  it('by a key that is not trusted, revoked, or trusted for another source is refused', async () => {
    const revoked = copySite()
    await revoked.run('keys', 'revoke', 'release', '--reason', 'stolen')
    expect(await verify(revoked)).toMatchObject({ state: 'revoked', code: 1 })
    const unknown = copySite()
    rmSync(join(unknown.cwd, '.config/skills/trust.json'))
    expect(await verify(unknown)).toMatchObject({ state: 'untrusted', code: 1 })
    await unknown.run('keys', 'trust', 'release', '--own', '--source', 'github:alice/*')
    expect(await verify(unknown)).toMatchObject({ state: 'source', code: 1 })
    expect(await verify(unknown, '--source', 'github:alice/a')).toMatchObject({ state: 'verified' })
  })

  it('is compared with a copy of the log of another machine, which has to have the run', async () => {
    const site = copySite()
    cpSync(join(site.cwd, AUDIT), join(site.cwd, 'audit'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    rmSync(join(site.cwd, '.local'), { recursive: true })
    expect(await verify(site)).toMatchObject({ state: 'verified', log: 'absent' })
    expect(await verify(site, '--audit', 'audit')).toMatchObject({
      state: 'verified',
      log: 'compared',
      record: 'absent',
    })
    expect(await verify(site, '--audit', 'skills')).toMatchObject({ state: 'changed', code: 1 })
  })
})

describe('skills runs receipt', () => {
  it('refuses a run that was interrupted, without a process that ends it', async () => {
    const site = copySite()
    changeRecord(site.cwd, site.ids[0]!, { status: 'running' })
    const { code, stderr } = await site.run('runs', 'receipt', site.ids[0]!, '--out', 'n.jsonl')
    expect(stderr).toContain('it was interrupted, and has no end')
    expect(code).toBe(3)
  })

  it('refuses a run without a record, whose older receipt the log still confirms', async () => {
    const site = copySite()
    expect((await site.run('runs', 'rm', site.ids[0]!, '--yes')).code).toBe(0)
    const { code, stderr } = await site.run('runs', 'receipt', site.ids[0]!)
    expect(stderr).toContain('Unknown run')
    expect(code).toBe(3)
    expect(await verify(site)).toMatchObject({
      state: 'verified',
      log: 'compared',
      record: 'absent',
    })
  })

  it('does not replace a file, and names the keys if there are several', async () => {
    const site = copySite()
    const taken = await site.run('runs', 'receipt', site.ids[0]!, '--out', 'r.jsonl')
    expect(taken.stderr).toContain('exists already')
    await site.run('keys', 'new', 'second')
    const { code, stderr } = await site.run('runs', 'receipt', site.ids[0]!)
    expect(stderr).toContain('release, second')
    expect(code).toBe(2)
  })

  it('refuses options of the other direction, and a file with several envelopes', async () => {
    const site = copySite()
    expect((await site.run('runs', 'receipt', site.ids[0]!, '--audit', '.')).stderr).toContain(
      '--audit needs --verify',
    )
    const file = join(site.cwd, 'r.jsonl')
    writeFileSync(file, readFileSync(file, 'utf8').repeat(2))
    const { code, stderr } = await site.run('runs', 'receipt', '--verify', 'r.jsonl')
    expect(stderr).toContain('it has 2 lines, expected 1')
    expect(code).toBe(2)
  })
})
