import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSealedJson } from '../../../util/sealed-json.ts'
import { DamageCollector, ItemGoneError, type DamageReport } from '../../storage/damage-report.ts'
import type { StoredRecord } from './record-file.ts'
import {
  getLogsFile,
  getOpenFolder,
  getRecordFile,
  listRecordDays,
  listRecordLocations,
  parseLocationId,
  type RecordLocation,
} from './record-locations.ts'
import { isRunId } from './run-id.ts'

const LINE_END = 10

/** Verifies the records of all runs with their logs. Changes nothing. */
export async function checkRecords(dir: string): Promise<DamageReport> {
  const collector = new DamageCollector()
  for (const day of await listRecordDays(dir)) {
    for (const location of await listRecordLocations(dir, day)) {
      const id = parseLocationId(location)
      await collector.check(id, async () => await checkRecord(dir, location))
    }
  }
  const open = await readdir(getOpenFolder(dir)).catch(() => [])
  for (const id of open.filter(isRunId)) {
    await collector.check(id, async () => await checkMarker(join(getOpenFolder(dir), id), id))
  }
  return collector.report
}

async function checkRecord(dir: string, location: RecordLocation): Promise<void> {
  const path = getRecordFile(dir, location)
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new ItemGoneError() : error
  })
  const id = parseLocationId(location)
  const first = readLine(content, 0, id)
  const isWhole = first.stored.owner === undefined
  // Without its end, the run was interrupted.
  if (!isWhole && first.end === content.length) return
  const last = isWhole ? first : readLine(content, first.end, id)
  const { digest } = last.stored.record.logs
  const logs = getLogsFile(dir, location)
  const inline = content.subarray(last.end)
  const found = existsSync(logs) ? await digestLogs(logs) : digestBytes(inline)
  if (digest !== null && found !== digest) throw new Error('its logs do not match their digest')
}

/** The process of the run may be writing the rest of the file. */
async function checkMarker(path: string, id: string): Promise<void> {
  const content = await readFile(path).catch(() => {
    throw new ItemGoneError()
  })
  if (!content.includes(LINE_END)) throw new ItemGoneError()
  readLine(content, 0, id)
}

function readLine(content: Buffer, start: number, id: string) {
  const end = content.indexOf(LINE_END, start)
  if (end === -1) throw new Error('a line is incomplete or damaged')
  const text = content.toString('utf8', start, end)
  const stored = parseSealedJson(text) as StoredRecord
  if (stored.record.run_id !== id) throw new Error('it is the record of another run')
  return { stored, end: end + 1 }
}

function digestBytes(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

async function digestLogs(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
  return `sha256:${digest.digest('hex')}`
}
