import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { syncFolder, writeSynced } from '../../util/durable-file.ts'
import { sharedMark } from '../../util/owner.ts'
import { ownName } from '../../util/leftovers.ts'
import { inStore } from '../store/store-error.ts'
import { LogSpool } from './log-spool.ts'
import { logsFile, openIn, placeOf, recordFile, type Place } from './places.ts'
import { encodeRecord } from './record-file.ts'
import { checkRunId } from './run-id.ts'
import type { RunRecord } from './run-record.ts'
import type { OpenRecord } from './run-store.ts'

/** Runs of this process that have not ended, by the file of their mark. */
const active = new Set<string>()

/** Whether this process goes on with the run of a mark that bears its own name. */
export function isActive(marker: string): boolean {
  return active.has(marker)
}

/** Where finished records are written before they are whole. */
export function draftsIn(dir: string): string {
  return join(dir, '.drafts')
}

/**
 * Marks a run as begun, under its id alone: two runs cannot have the same one. The mark needs no
 * sync: it is for processes that are killed, and what is not acknowledged may be lost with the power.
 */
export async function openRecord(
  dir: string,
  started: RunRecord,
  { maxLogBytes, written }: { maxLogBytes: number; written: (bytes: number) => Promise<void> },
): Promise<OpenRecord> {
  const marker = markerOf(dir, checkRunId(started.run_id))
  const place = placeOf(started.run_id, started.started_at)
  await inStore(dir, async () => writeMarker(marker, started))
  active.add(marker)
  const spool = new LogSpool(`${marker}.logs`, maxLogBytes)
  return {
    log: (piece, source = 'runtime') => spool.add(Buffer.from(piece as Uint8Array), source),
    close: async (record) => {
      try {
        await inStore(dir, async () => await finish(dir, { record, place, marker, spool, written }))
      } catch (error) {
        // The mark becomes the record: it says that the run began and not how it ended.
        active.delete(marker)
        await settleMarker(dir, place).catch(() => {})
        throw error
      } finally {
        active.delete(marker)
      }
    },
  }
}

/** The file that marks a run as under way. */
export function markerOf(dir: string, id: string): string {
  return join(openIn(dir), id)
}

/** Puts the mark of a run that will never end in the record's place, unless a record is there. */
export async function settleMarker(dir: string, place: Place): Promise<void> {
  const marker = markerOf(dir, place.name.slice(10))
  const target = recordFile(dir, place)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  try {
    renameSync(`${marker}.logs`, logsFile(dir, place))
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

interface Ending {
  record: RunRecord
  place: Place
  marker: string
  spool: LogSpool
  written: (bytes: number) => Promise<void>
}

async function finish(dir: string, { record, place, marker, spool, written }: Ending) {
  const { facts, map, inline, isInFile } = spool.end()
  const target = recordFile(dir, place)
  const isNewDay = mkdirSync(dirname(target), { recursive: true, mode: 0o700 }) !== undefined
  mkdirSync(draftsIn(dir), { recursive: true, mode: 0o700 })
  const draft = join(draftsIn(dir), ownName())
  const line = encodeRecord({ record: { ...record, logs: facts }, map })
  const content = Buffer.concat([Buffer.from(line), inline])
  try {
    await writeSynced(draft, content)
    if (isInFile) renameSync(`${marker}.logs`, logsFile(dir, place))
    renameSync(draft, target)
    await syncFolder(dirname(target))
    if (isNewDay) await syncFolder(dir)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  // The record is safe: what follows is put right by the next sweep where it fails.
  try {
    rmSync(marker, { force: true })
    await written(content.length + (isInFile ? facts.kept_bytes : 0))
  } catch {
    // Such as a disk that is full from now on.
  }
}

function writeMarker(marker: string, record: RunRecord): void {
  const text = encodeRecord({ record, owner: sharedMark() })
  const write = () => writeFileSync(marker, text, { flag: 'wx', mode: 0o600 })
  try {
    write()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw idTaken(record.run_id)
    if (code !== 'ENOENT') {
      rmSync(marker, { force: true })
      throw error
    }
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
    write()
  }
}

/** A run of this id is recorded already. */
export function idTaken(id: string): SkillsError {
  const reason = `there is a run "${id}" already`
  return new SkillsError('params/invalid', `Invalid params: 'run_id': ${reason}`, {
    data: { param: 'run_id', reason },
  })
}
