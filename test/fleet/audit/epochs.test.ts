// @module-tag slow
// @module-tag nightly
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SigningKey } from '../../../src/core/signing/envelope/dsse.ts'
import {
  toVerificationKey,
  type VerificationKey,
} from '../../../src/core/signing/keys/verification-key.ts'
import { EPOCHS_SUBJECT } from '../../../src/fleet/audit/chain-name.ts'
import { EpochWriter, writeEpoch } from '../../../src/fleet/audit/epochs.ts'
import { openFleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { openFleetAuditSource } from '../../../src/fleet/audit/fleet-audit-source.ts'
import { verifyFleetAudit } from '../../../src/fleet/audit/verify-fleet-audit.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createEntry } from '../../core/audit/entries.ts'
import { forgeStream, useAuditServer, type ForgedMessage } from './audit-server.ts'

const audit = useAuditServer()
const durable = { durable: true }

function createKeys(): { key: SigningKey; trusted: VerificationKey } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const trusted = toVerificationKey(publicKey, 'test')
  return { key: { id: trusted.id, privateKey }, trusted }
}

const { key, trusted } = createKeys()
const keys = [trusted]

/** Two running nodes, whose ends two signed epochs have. */
async function createFleet(): Promise<NatsEngine> {
  const engine = await audit.connect()
  const logs = ['w1', 'w2'].map((node) => openFleetAuditLog(engine, { node, start: 's1' }))
  const writer = new EpochWriter(engine, { key })
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 3; at++) for (const log of logs) await log.append(createEntry(), durable)
    await writer.write()
  }
  return engine
}

const isEpoch = ({ subject }: ForgedMessage) => subject === EPOCHS_SUBJECT

async function findProblems(forge: (messages: ForgedMessage[]) => ForgedMessage[]) {
  const engine = await createFleet()
  await forgeStream(engine, forge)
  return (await verifyFleetAudit(engine, { keys })).problems
}

/** Keeps the positions of other messages, as someone who removes the end of a chain would. */
function replaceByOthers(isRemoved: (message: ForgedMessage, at: number) => boolean) {
  return (messages: ForgedMessage[]): ForgedMessage[] =>
    messages.map((message, at) =>
      isRemoved(message, at) ? { subject: 'au.w9.s1', text: 'something else\n' } : message,
    )
}

describe('epochs', () => {
  it('name the ends of the chains that changed', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const writer = new EpochWriter(engine, { key })
    expect(await writer.write()).toMatchObject({ number: 1, changed: 0 })
    await log.append(createEntry(), durable)
    expect(await writer.write()).toMatchObject({ number: 2, changed: 1 })
    expect(await writer.write()).toMatchObject({ number: 3, changed: 0 })
    await openFleetAuditLog(engine, { node: 'w2', start: 's1' }).append(createEntry(), durable)
    await log.append(createEntry(), durable)
    const last = await writer.write()
    expect(last).toMatchObject({ number: 4, changed: 2, hasMore: false })
    const { problems, epochs } = await verifyFleetAudit(engine, { keys })
    expect(problems).toEqual([])
    expect(epochs).toMatchObject({ epochs: 4, signed: 4, areSignaturesChecked: true })
    expect(epochs.end).toEqual({ number: last?.number, hash: last?.hash })
  })

  it('are not part of the chains', async () => {
    const engine = await createFleet()
    const segments = await openFleetAuditSource(engine).segments()
    expect(segments.map(({ name }) => name)).toEqual(['w1.s1', 'w2.s1'])
    expect((await verifyFleetAudit(engine)).chains).toHaveLength(2)
  })

  it('continue those of another keeper, and one of two keepers at once is refused', async () => {
    const engine = await createFleet()
    expect(await writeEpoch(engine, { key })).toMatchObject({ number: 3, changed: 0 })
    const writers = [new EpochWriter(engine, { key }), new EpochWriter(engine, { key })]
    const log = openFleetAuditLog(engine, { node: 'w3', start: 's1' })
    for (let round = 0; round < 5; round++) {
      await log.append(createEntry(), durable)
      const written = await Promise.all(writers.map(async (each) => await each.write()))
      expect(written.some((each) => each !== undefined)).toBe(true)
    }
    expect((await verifyFleetAudit(engine, { keys })).problems).toEqual([])
  })

  it('name the end of a chain whose last record is in several messages', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const over = new AbortController()
    const appends = (async () => {
      for (let at = 0; at < 5; at++) {
        await log.append(createEntry({ contents: { code: 'x'.repeat(900_000) } }), durable)
      }
      over.abort()
    })()
    const writer = new EpochWriter(engine, { key })
    while (!over.signal.aborted) await writer.write()
    await appends
    expect(await writeEpoch(engine, { key })).toBeDefined()
    expect((await verifyFleetAudit(engine, { keys })).problems).toEqual([])
  })

  it('have no problem if nothing was forged', async () => {
    expect(await findProblems((messages) => messages)).toEqual([])
    expect(await findProblems(replaceByOthers(() => false))).toEqual([])
  })
})

describe('epochs of a stream that was forged', () => {
  it('detect a chain whose end was removed', async () => {
    const isLast = (messages: ForgedMessage[]) =>
      messages.findLastIndex(({ subject }) => subject === 'au.w1.s1')
    const problems = await findProblems((messages) =>
      replaceByOthers((_, at) => at === isLast(messages))(messages),
    )
    expect(problems).toContainEqual({
      code: 'cut',
      chain: 'w1.s1',
      seq: 7,
      sentence: 'The chain w1.s1 ends at record 6: epoch 2 names its record 7',
    })
  })

  it('detect a chain that was removed', async () => {
    const problems = await findProblems(replaceByOthers(({ subject }) => subject === 'au.w1.s1'))
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'missing', chain: 'w1.s1', seq: 4 }),
    )
  })

  it('detect messages that are missing before them', async () => {
    const problems = await findProblems((messages) => messages.toSpliced(0, 3))
    expect(problems.some(({ code }) => code === 'epoch')).toBe(true)
  })

  it('detect records that were moved before them', async () => {
    const engine = await createFleet()
    await openFleetAuditLog(engine, { node: 'w3', start: 's1' }).append(createEntry(), durable)
    await forgeStream(engine, (messages) => {
      const isMoved = ({ subject }: ForgedMessage) => subject === 'au.w3.s1'
      const others = messages.filter((message) => !isMoved(message))
      return others.toSpliced(2, 0, ...messages.filter(isMoved))
    })
    const { problems } = await verifyFleetAudit(engine, { keys })
    expect(problems.map(({ code }) => code)).toContain('epoch')
  })

  it.each<[string, (epochs: ForgedMessage[]) => ForgedMessage[], string]>([
    ['are missing', ([, second]) => [second as ForgedMessage], 'Epochs 1 to 1 are missing'],
    [
      'are there twice',
      ([first, second]) => [first, first, second] as ForgedMessage[],
      'Epoch 1 comes after epoch 1',
    ],
    ['change places', (epochs) => epochs.toReversed(), 'Epoch 1 comes after epoch 2'],
    [
      'are not epochs',
      ([first]) => [first as ForgedMessage, { subject: EPOCHS_SUBJECT, text: '{}' }],
      'This message is not an epoch',
    ],
    [
      'are not signed',
      (epochs) =>
        epochs.map(({ subject, text }) => {
          const envelope = JSON.parse(text) as object
          return { subject, text: JSON.stringify({ ...envelope, signatures: [] }) }
        }),
      'Epoch 1 is not signed by one of the keys',
    ],
    [
      'were changed',
      (epochs) =>
        epochs.map(({ subject, text }) => {
          const envelope = JSON.parse(text) as { payload: string }
          const payload = Buffer.from(envelope.payload, 'base64')
            .toString()
            .replace('w2.s1', 'w3.s1')
          const changed = { ...envelope, payload: Buffer.from(payload).toString('base64') }
          return { subject, text: JSON.stringify(changed) }
        }),
      'The root of epoch 1 does not match the chains that the epochs name',
    ],
  ])('report epochs that %s', async (_, forge, sentence) => {
    const problems = await findProblems((messages) => [
      ...messages.filter((message) => !isEpoch(message)),
      ...forge(messages.filter(isEpoch)),
    ])
    expect(problems.map((problem) => problem.sentence)).toContainEqual(sentence)
  })

  it('are compared with the keys that are trusted', async () => {
    const engine = await createFleet()
    const other = createKeys().trusted
    const { problems } = await verifyFleetAudit(engine, { keys: [other] })
    expect(problems).toHaveLength(2)
    expect((await verifyFleetAudit(engine, { keys: [other, trusted] })).problems).toEqual([])
    const unchecked = await verifyFleetAudit(engine)
    expect(unchecked).toMatchObject({ problems: [], epochs: { areSignaturesChecked: false } })
  })

  it('detect a stream that was written again without the last epoch, by an anchor', async () => {
    const engine = await createFleet()
    const { epochs } = await verifyFleetAudit(engine)
    const anchors = epochs.end ? [epochs.end] : []
    expect((await verifyFleetAudit(engine, { anchors })).problems).toEqual([])
    await forgeStream(engine, (messages) => messages.slice(0, messages.findLastIndex(isEpoch)))
    expect((await verifyFleetAudit(engine, { keys })).problems).toEqual([])
    const { problems } = await verifyFleetAudit(engine, { keys, anchors })
    expect(problems.map(({ code, sentence }) => [code, sentence])).toEqual([
      ['epoch', expect.stringContaining('Epoch 2 is missing')],
    ])
  })
})
