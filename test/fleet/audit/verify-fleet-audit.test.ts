// @module-tag slow
// @module-tag nightly
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { auditRemoval } from '../../../src/core/audit/removal-records.ts'
import type { RunLink } from '../../../src/core/audit/record-digests.ts'
import { openFleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { verifyFleetAudit } from '../../../src/fleet/audit/verify-fleet-audit.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createEntry } from '../../core/audit/entries.ts'
import { forgeChain, forgeStream, useAuditServer, type ForgedMessage } from './audit-server.ts'

const audit = useAuditServer()
const durable = { durable: true }

type Lines = string[]

/** Nodes w1 and w2 with two starts each, of which each chain has six records: the last one is `left`. */
async function createFleet(): Promise<NatsEngine> {
  const engine = await audit.connect()
  for (const start of ['s1', 's2']) {
    const logs = ['w1', 'w2'].map((node) => openFleetAuditLog(engine, { node, start }))
    for (let at = 0; at < 4; at++) {
      for (const log of logs) await log.append(createEntry({ run_id: `run_${at}` }), durable)
    }
    for (const log of logs) await log.leave()
  }
  return engine
}

/** Changes a record and computes its hash again, as a forger who knows the format would. */
function rehash(line: string, change: (body: string) => string): string {
  const body = change(`${line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '')}}`)
  const hash = createHash('sha256').update(body).digest('hex')
  return `${body.slice(0, -1)},"hash":"${hash}"}`
}

const readHash = (line: string) => (JSON.parse(line) as { hash: string }).hash

/** Computes the chain again from a line on. */
function rebuild(lines: Lines, from: number, change: (body: string) => string): Lines {
  const made = [...lines]
  for (let at = from; at < made.length; at++) {
    const prev = at === 0 ? '0'.repeat(64) : readHash(made[at - 1] as string)
    made[at] = rehash(made[at] as string, (body) =>
      (at === from ? change(body) : body).replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`),
    )
  }
  return made
}

const toBob = (body: string) => body.replace('"caller":"alice"', '"caller":"bob"')

async function findCodes(forge: (messages: ForgedMessage[]) => ForgedMessage[]): Promise<string[]> {
  const engine = await createFleet()
  await forgeStream(engine, forge)
  const { problems } = await verifyFleetAudit(engine)
  return problems.map(({ code, chain }) => `${code} ${chain}`)
}

describe('verifyFleetAudit()', () => {
  it('reports each chain of an intact fleet', async () => {
    const engine = await createFleet()
    const { records, chains, problems, notes, epochs } = await verifyFleetAudit(engine)
    expect([records, problems, notes, epochs.epochs]).toEqual([24, [], [], 0])
    expect(chains.map(({ node, start }) => `${node}.${start}`)).toEqual([
      'w1.s1',
      'w2.s1',
      'w1.s2',
      'w2.s2',
    ])
    for (const chain of chains) {
      expect(chain).toMatchObject({ records: 6, hasLeft: true, endsTorn: false, isOk: true })
      expect(chain.end).toMatchObject({ seq: 6 })
      expect(Date.parse(chain.first ?? '')).toBeLessThanOrEqual(Date.parse(chain.last ?? ''))
    }
  })

  it('reports nothing for a fleet without records', async () => {
    const report = await verifyFleetAudit(await audit.connect())
    expect(report).toMatchObject({ records: 0, chains: [], problems: [], notes: [] })
  })

  it('reports nothing for a stream that was copied as it is', async () => {
    expect(await findCodes((messages) => messages)).toEqual([])
    expect(await findCodes(forgeChain('w2.s1', (lines) => lines))).toEqual([])
  })

  it.each<[string, (lines: Lines) => Lines, string[]]>([
    ['a changed word', (all) => all.with(3, toBob(all[3] as string)), ['changed w1.s1']],
    [
      'a changed word and its hash',
      (all) => all.with(3, rehash(all[3] as string, toBob)),
      ['replaced w1.s1'],
    ],
    ['a removed record', (all) => all.toSpliced(3, 1), ['missing w1.s1']],
    [
      'two records that change places',
      (all) => all.with(3, all[4] as string).with(4, all[3] as string),
      ['missing w1.s1', 'out-of-order w1.s1', 'missing w1.s1'],
    ],
    [
      'a record that is there twice',
      (all) => all.toSpliced(4, 0, all[3] as string),
      ['out-of-order w1.s1'],
    ],
    ['a line that is not a record', (all) => all.toSpliced(4, 0, 'no record'), ['broken w1.s1']],
    ['a removed end', (all) => all.slice(0, -1), ['link w1.s2']],
    ['a removed chain', () => [], ['link w1.s2']],
    ['a removed beginning', (all) => all.slice(1), ['missing w1.s1']],
    [
      'a changed end, with its hash',
      (all) =>
        all.with(
          5,
          rehash(all[5] as string, (body) => body.replace('leaves', 'leave')),
        ),
      ['link w1.s2'],
    ],
    ['a chain that was computed again', (all) => rebuild(all, 3, toBob), ['link w1.s2']],
    [
      'a first record that names another node',
      (all) => rebuild(all, 0, (body) => body.replace('"node":"w1"', '"node":"w9"')),
      ['link w1.s1', 'link w1.s2'],
    ],
  ])('reports %s', async (_, forge, expected) => {
    expect((await findCodes(forgeChain('w1.s1', forge))).toSorted()).toEqual(expected.toSorted())
  })

  it('reports a chain that does not name the one before', async () => {
    const remove = (body: string) => body.replace(/"before":\{[^}]*\}/, '"before":null')
    const forge = forgeChain('w1.s2', (lines) => rebuild(lines, 0, remove))
    expect(await findCodes(forge)).toEqual(['link w1.s2'])
  })

  it('reports the place and the sentence of the first problem of each chain', async () => {
    const engine = await createFleet()
    await forgeStream(
      engine,
      forgeChain('w1.s1', (lines) => lines.toSpliced(2, 2)),
    )
    const { chains } = await verifyFleetAudit(engine)
    expect(chains.map(({ isOk, problem }) => [isOk, problem])).toEqual([
      [false, 'w1.s1:3: Records 3 to 4 are missing'],
      [true, undefined],
      [true, undefined],
      [true, undefined],
    ])
  })

  it('reports records of a subject that is not a chain', async () => {
    const strange = { subject: 'au.w1.s1.more', text: 'x' }
    expect(await findCodes((messages) => [...messages, strange])).toEqual(['broken undefined'])
  })

  it('reports two records with one number, of two writers of a chain', async () => {
    const codes = await findCodes((messages) => {
      const twin = messages.filter(({ subject }) => subject === 'au.w1.s1')
      return messages.flatMap((each) => (twin.includes(each) ? [each, each] : [each]))
    })
    expect(new Set(codes)).toEqual(new Set(['out-of-order w1.s1']))
  })

  it('notes chains without a record of leaving, except those of running nodes', async () => {
    const engine = await audit.connect()
    for (const start of ['s1', 's2']) {
      await openFleetAuditLog(engine, { node: 'w1', start }).append(createEntry(), durable)
    }
    const { problems, notes } = await verifyFleetAudit(engine)
    expect(problems).toEqual([])
    expect(notes.map(({ code, sentence }) => [code, sentence])).toEqual([
      [
        'no-left',
        'w1.s1 ends after record 2 and does not say that the node left: the node was killed',
      ],
      ['no-left', expect.stringContaining('the node is running, or was killed or removed')],
    ])
    const isRunning = ({ start }: { start: string }) => start === 's2'
    const report = await verifyFleetAudit(engine, { isRunning })
    expect(report.notes.map(({ chain }) => chain)).toEqual(['w1.s1'])
  })

  it('notes two processes that have the name of one node', async () => {
    const engine = await audit.connect()
    const [first, second] = ['s1', 's2'].map((start) =>
      openFleetAuditLog(engine, { node: 'w1', start }),
    )
    await first?.append(createEntry(), durable)
    await second?.append(createEntry(), durable)
    await first?.append(createEntry(), durable)
    const { problems, notes } = await verifyFleetAudit(engine)
    expect(problems).toEqual([])
    expect(notes).toContainEqual({
      code: 'overlap',
      chain: 'w1.s1',
      sentence: 'w1.s1 and w1.s2 were written at once: two processes had the name w1',
    })
  })

  it('notes a chain that ends in a partial record', async () => {
    const engine = await createFleet()
    await forgeStream(engine, (messages) =>
      messages.map((message, at) =>
        at === messages.length - 1 ? { ...message, text: '{"seq":6,' } : message,
      ),
    )
    const { problems, notes } = await verifyFleetAudit(engine)
    expect(problems).toEqual([])
    expect(notes.map(({ code, chain }) => [code, chain])).toEqual([
      ['torn', 'w2.s2'],
      ['no-left', 'w2.s2'],
    ])
  })
})

describe('verifyFleetAudit() with run records', () => {
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`

  /** Two runs of two nodes, whose first records have equal numbers. */
  async function createRuns(): Promise<{ engine: NatsEngine; runs: RunLink[] }> {
    const engine = await audit.connect()
    const runs: RunLink[] = []
    for (const node of ['w1', 'w2']) {
      const log = openFleetAuditLog(engine, { node, start: 's1' })
      const run = `run_${node}`
      const link = await log.append(createEntry({ event: 'begun', run_id: run }), durable)
      const records = { [run]: digest(node.slice(1)) }
      await log.append(createEntry({ event: 'ended', run_id: run, records }), durable)
      runs.push({ ...link, run, record: records[run] })
    }
    return { engine, runs }
  }

  it('reports nothing for the records that the runs have', async () => {
    const { engine, runs } = await createRuns()
    expect(runs[0]?.seq).toBe(runs[1]?.seq)
    expect((await verifyFleetAudit(engine, { runs: { links: runs } })).problems).toEqual([])
  })

  it('reports a run whose first record is in none of the chains', async () => {
    const { engine, runs } = await createRuns()
    const lost = { run: 'run_lost', seq: 9, hash: 'f'.repeat(64) }
    const { problems } = await verifyFleetAudit(engine, { runs: { links: [...runs, lost] } })
    expect(problems).toEqual([
      {
        code: 'run',
        seq: 9,
        sentence: 'Record 9, the first one of run_lost, is in none of the chains',
      },
    ])
  })

  it('reports a run record that is missing, and none that a node has removed', async () => {
    const { engine, runs } = await createRuns()
    const links = runs.slice(1)
    const all = { links, keptSinceMs: 0, find: async () => await Promise.resolve(undefined) }
    const { problems } = await verifyFleetAudit(engine, { runs: all })
    const sentence = 'The run record run_w1 is missing: record 3 has its digest'
    expect(problems).toEqual([{ code: 'run', seq: 3, sentence }])
    const later = { ...all, oldestMs: Date.now() }
    expect((await verifyFleetAudit(engine, { runs: later })).problems).toEqual([])
    await auditRemoval(openFleetAuditLog(engine, { node: 'w1', start: 's2' }), ['run_w1'])
    expect((await verifyFleetAudit(engine, { runs: all })).problems).toEqual([])
  })

  it('reports a changed run record', async () => {
    const { engine, runs } = await createRuns()
    const changed = runs.map((link) => ({ ...link, record: digest('1') }))
    const { problems, chains } = await verifyFleetAudit(engine, { runs: { links: changed } })
    expect(problems).toMatchObject([{ code: 'run', chain: 'w2.s1', seq: 3 }])
    expect(chains.map(({ isOk }) => isOk)).toEqual([true, false])
  })
})
