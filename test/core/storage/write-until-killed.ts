// Writes in a loop and prints each acknowledged blob; the test kills it at a random moment.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openAuditLog, type AuditLog } from '../../../src/core/audit/audit-log.ts'
import { openRunStore } from '../../../src/core/runs/history/file-run-store.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { openBlobStore } from '../../../src/core/storage/file-blob-store.ts'
import { createEntry } from '../audit/entries.ts'
import { createRecord } from '../runs/history/example-record.ts'

const [how = '', dir = ''] = process.argv.slice(2)
const PIECE = 16 * 1024

function createPieces(): Buffer[] {
  const count = 1 + (randomBytes(1)[0] as number) / 16
  return Array.from({ length: count }, () => randomBytes(PIECE))
}

function flipCoin(): boolean {
  return (randomBytes(1)[0] as number) % 2 === 0
}

function acknowledge(id: string, pieces: readonly Buffer[]): void {
  const digest = createHash('sha256').update(Buffer.concat(pieces)).digest('hex')
  writeSync(1, `${id} ${digest}\n`)
}

async function appendRecords(log: AuditLog): Promise<void> {
  for (;;) {
    const { seq, hash } = await log.append(createEntry(), { durable: flipCoin() })
    writeSync(1, `${seq} ${hash}\n`)
  }
}

const WRITERS: Record<string, () => Promise<void>> = {
  blobs: async () => {
    const store = openBlobStore(dir, { maxBlobBytes: 1e9, quotaBytes: 1e12, ttlMs: 1e9 })
    for (;;) {
      const pieces = createPieces()
      const writer = await store.writer({ kind: 'application/octet-stream' })
      for (const piece of pieces) await writer.write(piece)
      acknowledge((await writer.commit()).id, pieces)
    }
  },
  records: async () => {
    const store = openRunStore(dir, { quotaBytes: 1e12, ttlMs: 1e9 })
    for (;;) {
      const record = createRecord(createRunId())
      const pieces = createPieces()
      const open = await store.open(record, { isIdFromCaller: false, maxLogBytes: 1e9 })
      const texts = pieces.map((piece) => piece.subarray(0, PIECE / 4).toString('hex'))
      for (const text of texts) open.log(text)
      await open.close({ ...record, status: 'completed' })
      acknowledge(
        record.run_id,
        texts.map((text) => Buffer.from(text)),
      )
    }
  },
  audit: async () => await appendRecords(openAuditLog(dir, { maxFileBytes: 100_000 })),
  'busy audit': async () => {
    const log = openAuditLog(dir, { maxFileBytes: 100_000 })
    await Promise.all(Array.from({ length: 8 }, async () => await appendRecords(log)))
  },
  /** A wrong implementation, as a control: the name is visible before the content is complete. */
  'naive blobs': async () => {
    for (;;) {
      const pieces = createPieces()
      const name = randomBytes(16).toString('hex')
      mkdirSync(join(dir, name))
      const file = openSync(join(dir, name, 'content'), 'wx')
      for (const piece of pieces) writeSync(file, piece)
      const size = pieces.length * PIECE
      const createdAt = new Date().toISOString()
      writeFileSync(
        join(dir, name, 'info.json'),
        JSON.stringify({ id: `blob:${name}`, size, kind: 'a/b', createdAt }),
      )
      acknowledge(`blob:${name}`, pieces)
    }
  },
}

await WRITERS[how]?.()
