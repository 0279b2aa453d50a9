import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { invalidParamError, type SkillsError } from '../../../errors.ts'
import { withStoreErrors } from '../../storage/store-error.ts'
import { writeRecordEnd, writeFully } from './write-record-end.ts'
import { LogSpool, MAX_BUFFERED_BYTES } from './log-spool.ts'
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
import type { OpenRecord, OpenRecordOptions } from './run-store.ts'

/** A new record that may still be discarded. */
interface StartedRecord extends OpenRecord {
  /** Removes the record instead of closing it. */
  discard(): void
}

/**
 * Creates a marker file named by the run id, so that two runs cannot have the same id. The marker
 * needs no fsync: it is read after a process was killed, and an unacknowledged run may be lost with
 * the power.
 */
export async function openRecord(
  { dir, ownerMark, active }: RunFolder,
  started: RunRecord,
  {
    maxLogBytes,
    isFollowed,
    onWritten,
  }: Omit<OpenRecordOptions, 'isIdFromCaller'> & { onWritten: (bytes: number) => Promise<void> },
): Promise<StartedRecord> {
  const marker = getMarkerPath(dir, checkRunId(started.run_id))
  const location = buildRecordLocation(started.run_id, started.started_at)
  const { fd, markerBytes } = await withStoreErrors(dir, async () =>
    writeMarker(marker, encodeRecord({ record: started, owner: ownerMark })),
  )
  const spool = new LogSpool(`${marker}.logs`, maxLogBytes, isFollowed ? 0 : MAX_BUFFERED_BYTES)
  active.set(marker, spool)
  return {
    describeLogs: () => spool.describe(),
    log: (piece, source = 'runtime') => spool.add(Buffer.from(piece as Uint8Array), source),
    close: async (record, whenWritten) => {
      try {
        const closing = {
          whenWritten,
          record,
          location,
          marker,
          fd,
          markerBytes,
          spool,
          onWritten,
        }
        await withStoreErrors(dir, async () => await closeRecord(dir, closing))
      } catch (error) {
        // The marker becomes the record: the run began, and its end is unknown.
        active.delete(marker)
        await convertMarkerToRecord(dir, location).catch(() => {})
        throw error
      } finally {
        active.delete(marker)
        closeSync(fd)
      }
    },
    discard() {
      rmSync(marker, { force: true })
      active.delete(marker)
      closeSync(fd)
    },
  }
}

/** Returns the path of the file that marks a run as active. */
export function getMarkerPath(dir: string, id: string): string {
  return join(getOpenFolder(dir), id)
}

/** Makes the marker of an abandoned run its record, unless the record already exists. */
export async function convertMarkerToRecord(dir: string, location: RecordLocation): Promise<void> {
  const marker = getMarkerPath(dir, location.name.slice(10))
  const target = getRecordFile(dir, location)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  try {
    renameSync(`${marker}.logs`, getLogsFile(dir, location))
  } catch {
    // Most runs print too little for a log file.
  }
  try {
    linkSync(marker, target)
  } catch (error) {
    // Some file systems do not support hard links.
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(target)
    if (!isThere) renameSync(marker, target)
  }
  rmSync(marker, { force: true })
}

interface ClosingRecord {
  record: RunRecord
  location: RecordLocation
  marker: string
  /** Descriptor of the marker, open until then, and its size in bytes. */
  fd: number
  markerBytes: number
  spool: LogSpool
  whenWritten: (() => void) | undefined
  onWritten: (bytes: number) => Promise<void>
}

async function closeRecord(dir: string, closing: ClosingRecord) {
  const { record, location, marker, fd, markerBytes, spool, onWritten } = closing
  const { whenWritten } = closing
  const { facts, map, inline, isInFile } = spool.end()
  const target = getRecordFile(dir, location)
  const ended = { record: { ...record, logs: facts }, map, follow: inline.length }
  const content = Buffer.concat([Buffer.from(encodeRecord(ended)), inline])
  const logs = isInFile ? { from: `${marker}.logs`, to: getLogsFile(dir, location) } : undefined
  const end = { dir, fd, marker, markerBytes, target, content, logs }
  await writeRecordEnd({ ...end, onWritten: whenWritten })
  // The record is durable. If a later step fails, the next sweep repairs it.
  try {
    await onWritten(markerBytes + content.length + (isInFile ? facts.kept_bytes : 0))
  } catch {
    // For example, the disk is full.
  }
}

/** Returns the open descriptor of the marker and its size in bytes. */
function writeMarker(marker: string, line: string): { fd: number; markerBytes: number } {
  const text = Buffer.from(line)
  const fd = createMarkerFile(marker)
  try {
    writeFully(fd, text, 0)
    return { fd, markerBytes: text.length }
  } catch (error) {
    closeSync(fd)
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
    if (code === 'EEXIST') throw runIdTakenError(basename(marker))
    if (code !== 'ENOENT') throw error
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
    return make()
  }
}

/** Creates the error for a run id that already has a record. */
export function runIdTakenError(id: string): SkillsError {
  const reason = `a run "${id}" already exists`
  return invalidParamError('run_id', reason)
}
