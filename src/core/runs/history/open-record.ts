import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { invalidParam, type SkillsError } from '../../../errors.ts'
import { withStoreErrors } from '../../storage/store-error.ts'
import { writeRecordEnd, writeFully } from './write-record-end.ts'
import { LogSpool } from './log-spool.ts'
import {
  getLogsFile,
  getOpenFolder,
  buildRecordLocation,
  getRecordFile,
  type RecordLocation,
  type RunFolder,
} from './record-locations.ts'
import { encodeRecord } from './record-file.ts'
import { checkRunId } from './run-id.ts'
import type { RunRecord } from './run-record.ts'
import type { OpenRecord } from './run-store.ts'

/** A record whose run may turn out to be none. */
interface StartedRecord extends OpenRecord {
  /** Takes it back, instead of closing it. */
  discard(): void
}

/**
 * Marks a run as begun, under its id alone: two runs cannot have the same one. The mark needs no
 * sync: it is for processes that are killed, and what is not acknowledged may be lost with the power.
 */
export async function openRecord(
  { dir, ownerMark: mark, active }: RunFolder,
  started: RunRecord,
  { maxLogBytes, written }: { maxLogBytes: number; written: (bytes: number) => Promise<void> },
): Promise<StartedRecord> {
  const marker = getMarkerPath(dir, checkRunId(started.run_id))
  const place = buildRecordLocation(started.run_id, started.started_at)
  const { file, begins } = await withStoreErrors(dir, async () =>
    writeMarker(marker, encodeRecord({ record: started, owner: mark })),
  )
  active.add(marker)
  const spool = new LogSpool(`${marker}.logs`, maxLogBytes)
  return {
    log: (piece, source = 'runtime') => spool.add(Buffer.from(piece as Uint8Array), source),
    close: async (record) => {
      try {
        const finishing = { record, place, marker, file, begins, spool, written }
        await withStoreErrors(dir, async () => await closeRecord(dir, finishing))
      } catch (error) {
        // The mark becomes the record: it says that the run began and not how it ended.
        active.delete(marker)
        await convertMarkerToRecord(dir, place).catch(() => {})
        throw error
      } finally {
        active.delete(marker)
        closeSync(file)
      }
    },
    discard() {
      rmSync(marker, { force: true })
      active.delete(marker)
      closeSync(file)
    },
  }
}

/** The file that marks a run as under way. */
export function getMarkerPath(dir: string, id: string): string {
  return join(getOpenFolder(dir), id)
}

/** Puts the mark of a run that will never end in the record's place, unless a record is there. */
export async function convertMarkerToRecord(dir: string, place: RecordLocation): Promise<void> {
  const marker = getMarkerPath(dir, place.name.slice(10))
  const target = getRecordFile(dir, place)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  try {
    renameSync(`${marker}.logs`, getLogsFile(dir, place))
  } catch {
    // Most runs say too little to have a file of logs.
  }
  try {
    linkSync(marker, target)
  } catch (error) {
    // Some file systems know no second names.
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(target)
    if (!isThere) renameSync(marker, target)
  }
  rmSync(marker, { force: true })
}

interface ClosingRecord {
  record: RunRecord
  place: RecordLocation
  marker: string
  /** Kept open until then, and the bytes that it has. */
  file: number
  begins: number
  spool: LogSpool
  written: (bytes: number) => Promise<void>
}

async function closeRecord(dir: string, finishing: ClosingRecord) {
  const { record, place, marker, file, begins, spool, written } = finishing
  const { facts, map, inline, isInFile } = spool.end()
  const target = getRecordFile(dir, place)
  const ended = { record: { ...record, logs: facts }, map, follow: inline.length }
  const content = Buffer.concat([Buffer.from(encodeRecord(ended)), inline])
  const logs = isInFile ? { from: `${marker}.logs`, to: getLogsFile(dir, place) } : undefined
  await writeRecordEnd({ dir, file, marker, begins, target, content, logs })
  // The record is safe: what follows is put right by the next sweep where it fails.
  try {
    await written(begins + content.length + (isInFile ? facts.kept_bytes : 0))
  } catch {
    // Such as a disk that is full from now on.
  }
}

/** The file, open for what will be added to it, and how many bytes it has. */
function writeMarker(marker: string, mark: string): { file: number; begins: number } {
  const text = Buffer.from(mark)
  const file = createMarkerFile(marker)
  try {
    writeFully(file, text, 0)
    return { file, begins: text.length }
  } catch (error) {
    closeSync(file)
    rmSync(marker, { force: true })
    throw error
  }
}

function createMarkerFile(marker: string): number {
  const make = () => openSync(marker, 'wx', 0o600)
  try {
    return make()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw runIdTaken(basename(marker))
    if (code !== 'ENOENT') throw error
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
    return make()
  }
}

/** A run of this id is recorded already. */
export function runIdTaken(id: string): SkillsError {
  const reason = `there is a run "${id}" already`
  return invalidParam('run_id', reason)
}
