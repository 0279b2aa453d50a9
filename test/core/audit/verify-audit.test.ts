import { createHash } from 'node:crypto'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createEntry, readLines, readRecords, listSegments, verifyFolder } from './entries.ts'

/** Creates a log of ten records in several segments. */
async function createLog(maxFileBytes = 2500): Promise<string> {
  const dir = createFolder()
  await appendRecords(dir, 10, maxFileBytes)
  return dir
}

async function appendRecords(dir: string, count: number, maxFileBytes = 2500): Promise<void> {
  const open = openAuditLog(dir, { maxFileBytes })
  for (let at = 0; at < count; at++) {
    await open.append(createEntry({ run_id: `run_${at}` }), { durable: true })
  }
}

type Lines = string[]

/** Creates a log of one segment and changes its lines. */
async function forgeLog(forge: (all: Lines) => Lines): Promise<string> {
  const dir = await createLog(1e6)
  const [file = ''] = listSegments(dir)
  writeFileSync(
    file,
    forge(readLines(dir))
      .map((line) => `${line}\n`)
      .join(''),
  )
  return dir
}

/** Changes a record and recomputes its hash. */
function replaceHash(line: string, change: (body: string) => string): string {
  const body = change(`${line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '')}}`)
  const hash = createHash('sha256').update(body).digest('hex')
  return `${body.slice(0, -1)},"hash":"${hash}"}`
}

const computeHash = (line: string) => (JSON.parse(line) as { hash: string }).hash

/** Rebuilds the chain from a record on, as an attacker who knows the format would. */
function rebuildChain(all: Lines, from: number, change: (body: string) => string): Lines {
  const made = [...all]
  for (let at = from; at < made.length; at++) {
    const prev = at === 0 ? '0'.repeat(64) : computeHash(made[at - 1] as string)
    made[at] = replaceHash(made[at] as string, (body) =>
      (at === from ? change(body) : body).replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`),
    )
  }
  return made
}

const codes = async (dir: string) => (await verifyFolder(dir)).problems.map(({ code }) => code)
const toBob = (body: string) => body.replace('"caller":"alice"', '"caller":"bob"')

describe('verifyAudit()', () => {
  it('reports nothing for an intact log', async () => {
    const dir = await createLog()
    expect(listSegments(dir).length).toBeGreaterThan(2)
    const last = readRecords(dir).at(-1)
    expect(await verifyFolder(dir)).toMatchObject({
      records: 10,
      problems: [],
      first: { seq: 1 },
      last: { seq: 10, hash: last?.hash },
    })
    expect(await codes(await forgeLog((all) => all))).toEqual([])
  })

  it('reports nothing for a missing log', async () => {
    expect(await verifyFolder(join(createFolder(), 'none'))).toMatchObject({
      records: 0,
      problems: [],
      last: null,
    })
  })

  it.each<[string, (all: Lines) => Lines, string[]]>([
    ['a word of a record', (all) => all.with(4, toBob(all[4] as string)), ['changed']],
    ['a blank in a record', (all) => all.with(4, `${all[4] as string} `), ['changed']],
    [
      'the hash of a record',
      (all) => all.with(4, replaceHash(all[4] as string, (b) => b).replace(/.{4}"\}$/, '0000"}')),
      ['changed', 'replaced'],
    ],
    [
      'a record and its hash',
      (all) => all.with(4, replaceHash(all[4] as string, toBob)),
      ['replaced'],
    ],
    [
      'the first record and its hash',
      (all) => all.with(0, replaceHash(all[0] as string, toBob)),
      ['replaced'],
    ],
    [
      'the last record and its hash',
      (all) => all.with(9, replaceHash(all[9] as string, toBob)),
      ['replaced'],
    ],
    ['a record and all hashes from it on', (all) => rebuildChain(all, 4, toBob), ['replaced']],
    ['every record', (all) => rebuildChain(all, 0, toBob), ['replaced']],
  ])('reports changed records: %s', async (_, forge, expected) => {
    expect(await codes(await forgeLog(forge))).toEqual(expected)
  })

  it.each<[string, (all: Lines) => Lines, string[]]>([
    ['one', (all) => all.toSpliced(4, 1), ['missing']],
    ['several', (all) => all.toSpliced(2, 5), ['missing']],
    ['the first', (all) => all.slice(1), ['missing']],
    ['the last', (all) => all.slice(0, -1), ['cut']],
    ['all but one', (all) => all.slice(0, 1), ['cut']],
    ['all', () => [], ['cut']],
    [
      'one, and closed the gap in the numbers and the chain',
      (all) =>
        rebuildChain(
          all.toSpliced(4, 1).map((line, at) => line.replace(/"seq":\d+/, `"seq":${at + 1}`)),
          4,
          (body) => body,
        ),
      ['cut'],
    ],
  ])('reports removed records: %s', async (_, forge, expected) => {
    expect(await codes(await forgeLog(forge))).toEqual(expected)
  })

  it.each<[string, (all: Lines) => Lines]>([
    ['two records change places', (all) => all.with(4, all[5] as string).with(5, all[4] as string)],
    ['a record stand there twice', (all) => all.toSpliced(5, 0, all[4] as string)],
    ['the first record stand at the end', (all) => [...all.slice(1), all[0] as string]],
  ])('reports forged records: %s', async (_, forge) => {
    const found = await codes(await forgeLog(forge))
    expect(found).toEqual(expect.arrayContaining(['out-of-order']))
  })

  it.each<[string, (all: Lines) => Lines]>([
    ['words', (all) => all.toSpliced(5, 0, 'nothing was here')],
    ['an empty line', (all) => all.toSpliced(5, 0, '')],
    ['half a record', (all) => all.with(5, (all[5] as string).slice(0, 100))],
    ['a list', (all) => all.toSpliced(5, 0, '[]')],
    ['null', (all) => all.toSpliced(5, 0, 'null')],
  ])('reports lines that are not records: %s', async (_, forge) => {
    expect(await codes(await forgeLog(forge))).toContain('broken')
  })

  it('reports a missing segment at any position', async () => {
    for (const at of [0, 1, -1]) {
      const dir = await createLog()
      rmSync(listSegments(dir).at(at) as string)
      expect(await codes(dir)).toEqual([at === -1 ? 'cut' : 'missing'])
    }
  })

  it('reports a head that was removed, reset to an earlier one, or rewritten', async () => {
    const dir = await createLog()
    const head = join(dir, 'head.json')
    const right = readFileSync(head, 'utf8')
    writeFileSync(head, JSON.stringify({ seq: 3, hash: '0'.repeat(64) }))
    expect(await codes(dir)).toEqual(['replaced'])
    writeFileSync(head, JSON.stringify({ seq: 30, hash: '0'.repeat(64) }))
    expect(await codes(dir)).toEqual(['cut'])
    rmSync(head)
    expect(await codes(dir)).toEqual(['cut'])
    writeFileSync(head, right)
    expect(await codes(dir)).toEqual([])
  })

  it('still reports cut records after others were appended', async () => {
    const dir = await forgeLog((all) => all.slice(0, -3))
    expect(await codes(dir)).toEqual(['cut'])
    await appendRecords(dir, 2, 1e6)
    const found = readRecords(dir).map(({ seq, event }) => [seq, event])
    expect(found.slice(-3)).toEqual([
      [11, 'damaged'],
      [12, 'ended'],
      [13, 'ended'],
    ])
    expect(await codes(dir)).toEqual(['missing', 'damaged'])
  })

  it('reports a partial last record that the head knows as complete', async () => {
    const dir = await createLog(1e6)
    const [file = ''] = listSegments(dir)
    truncateSync(file, readFileSync(file).length - 20)
    expect(await codes(dir)).toEqual(['cut'])
    await appendRecords(dir, 1, 1e6)
    expect(await codes(dir)).toEqual(['missing', 'damaged'])
  })

  it('detects with an external anchor that the whole log was rewritten', async () => {
    const dir = await createLog(1e6)
    const { last } = await verifyFolder(dir)
    const anchor = last as { seq: number; hash: string }
    expect((await verifyFolder(dir, [anchor])).problems).toEqual([])
    const [file = ''] = listSegments(dir)
    const made = rebuildChain(readLines(dir), 4, toBob)
    writeFileSync(file, made.map((line) => `${line}\n`).join(''))
    const { hash } = JSON.parse(made.at(-1) as string) as { hash: string }
    writeFileSync(join(dir, 'head.json'), JSON.stringify({ seq: 10, hash }))
    expect(await codes(dir)).toEqual([])
    expect((await verifyFolder(dir, [anchor])).problems).toMatchObject([
      { code: 'anchor', seq: 10 },
    ])
    expect((await verifyFolder(dir, [{ seq: 99, hash }])).problems).toMatchObject([
      { code: 'anchor' },
    ])
  })

  it('continues from an anchor when older segments are archived elsewhere', async () => {
    const dir = await createLog()
    const [first = '', second = ''] = listSegments(dir)
    const archived = readFileSync(first, 'utf8').trim().split('\n')
    const { seq, hash } = JSON.parse(archived.at(-1) as string) as { seq: number; hash: string }
    rmSync(first)
    expect(await codes(dir)).toEqual(['missing'])
    expect((await verifyFolder(dir, [{ seq, hash }])).problems).toEqual([])
    rmSync(second)
    expect((await verifyFolder(dir, [{ seq, hash }])).problems).not.toEqual([])
  })
})
