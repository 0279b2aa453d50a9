import { existsSync } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { syncFolder } from '../../../util/durable-file.ts'
import { sweepLeftovers } from '../../../util/leftovers.ts'
import { withStoreErrors } from '../../storage/store-error.ts'
import { Sweeper } from '../../storage/sweep.ts'
import { openUsage, type Usage } from '../../storage/usage.ts'
import {
  announceRemoval,
  expireRuns,
  removeRecordFiles,
  removeOldRuns,
  measureRecord,
  type RunStoreLimits,
} from './expire-runs.ts'
import { toFinishedRecord, toOpenRecord, listRuns } from './list-runs.ts'
import { getMarkerPath, openRecord, runIdTakenError } from './open-record.ts'
import { getOpenLogsFile, readOpenRun, finishInterruptedRuns } from './open-runs.ts'
import {
  buildRecordLocation,
  listRecordDays,
  getDraftsFolder,
  parseLocationId,
  getLogsFile,
  getOpenFolder,
  openRunFolder,
  listRecordLocations,
  getRecordFile,
  parseLocationTime,
  type RecordLocation,
  type RunFolder,
} from './record-locations.ts'
import { EMPTY_LOG_MAP } from './log-pieces.ts'
import { readRecord } from './record-file.ts'
import { openRecordedOutput } from './recorded-output.ts'
import { isRunId, runNotFoundError, runStillActiveError } from './run-id.ts'
import type { RunRecord } from './run-record.ts'
import type { OpenRecordOptions, RecordedOutput, RunQuery, RunStore } from './run-store.ts'

/** Number of runs whose location a process remembers. */
const MAX_RECENT = 1000
/** Share of the quota that each process may add before it reads the total usage. */
const UNCOUNTED_SHARE = 0.001

/**
 * Opens a store with one file per run: `<dir>/<day>/<time>-<id>.json`, the record on the first
 * lines, then the logs.
 */
export function openRunStore(dir: string, limits: RunStoreLimits): RunStore {
  return new FileRunStore(dir, limits)
}

class FileRunStore implements RunStore {
  #dir: string
  #folder: RunFolder
  #sweeper: Sweeper
  #limits: RunStoreLimits
  #usage: Usage
  #prepared: Promise<void> | undefined
  /** Locations of the last runs of this process, which are found without reading a folder. */
  #recent = new Map<string, RecordLocation>()
  /** Bytes that this process added since it last read the total usage. */
  #uncounted = Infinity

  constructor(dir: string, limits: RunStoreLimits) {
    this.#dir = dir
    this.#folder = openRunFolder(dir)
    this.#sweeper = new Sweeper(dir, async () => await removeOldRuns(this.#folder, limits))
    this.#limits = limits
    this.#usage = openUsage(dir)
  }

  async open(started: RunRecord, { isIdFromCaller, maxLogBytes, isFollowed }: OpenRecordOptions) {
    await this.#prepare()
    const onWritten = async (bytes: number) => await this.#countBytes(bytes)
    const record = await openRecord(this.#folder, started, {
      maxLogBytes,
      isFollowed,
      onWritten,
    })
    // Checked after the marker exists, so that no other process can begin a run with this id.
    if (isIdFromCaller && (await this.#locate(started.run_id))) {
      record.discard()
      throw runIdTakenError(started.run_id)
    }
    this.#rememberLocation(started)
    return record
  }

  async list(query: RunQuery = {}) {
    return await listRuns(this.#folder, query, this.#expiryTime())
  }

  async get(id: string): Promise<RunRecord> {
    if (!isRunId(id)) throw runNotFoundError(id)
    const run = await readOpenRun(this.#folder, id)
    if (run) return toOpenRecord(run)
    const location = await this.#locate(id)
    const stored = location && readRecord(this.#dir, location)
    if (!stored) throw runNotFoundError(id)
    return toFinishedRecord(stored.record)
  }

  async find(prefix: string, limit: number): Promise<string[]> {
    const start = prefix.startsWith('run_') ? prefix : `run_${prefix}`
    const underWay = await readdir(getOpenFolder(this.#dir)).catch(() => [])
    const found = new Set(underWay.filter((name) => isRunId(name) && name.startsWith(start)))
    for (const day of await listRecordDays(this.#dir)) {
      if (found.size >= limit) break
      for (const location of await listRecordLocations(this.#dir, day)) {
        if (parseLocationId(location).startsWith(start) && !this.#hasExpired(location))
          found.add(parseLocationId(location))
      }
    }
    return [...found].slice(0, limit)
  }

  async logs(id: string, offset = 0): Promise<Readable> {
    if (!isRunId(id)) throw runNotFoundError(id)
    this.#folder.active.get(getMarkerPath(this.#dir, id))?.flush()
    if (await readOpenRun(this.#folder, id))
      return await openFileStream(getOpenLogsFile(this.#dir, id), offset)
    const location = await this.#locate(id)
    const stored = location && readRecord(this.#dir, location)
    if (!location || !stored) throw runNotFoundError(id)
    const file = getLogsFile(this.#dir, location)
    if (existsSync(file)) return await openFileStream(file, offset)
    return await openFileStream(getRecordFile(this.#dir, location), stored.logsStart + offset)
  }

  async output(id: string): Promise<RecordedOutput> {
    if (!isRunId(id)) throw runNotFoundError(id)
    const run = await readOpenRun(this.#folder, id)
    if (run && !run.isInterrupted) throw runStillActiveError(id)
    const location = await this.#locate(id)
    const stored = location && readRecord(this.#dir, location)
    if (!location || !stored) throw runNotFoundError(id)
    const file = getLogsFile(this.#dir, location)
    const [path, start] = existsSync(file)
      ? [file, 0]
      : [getRecordFile(this.#dir, location), stored.logsStart]
    const logs = { open: async () => await open(path, 'r'), start }
    return openRecordedOutput(toFinishedRecord(stored.record), stored.map ?? EMPTY_LOG_MAP, logs)
  }

  async remove(id: string): Promise<void> {
    if (!isRunId(id)) throw runNotFoundError(id)
    const run = await readOpenRun(this.#folder, id)
    if (run && !run.isInterrupted) throw runStillActiveError(id)
    await withStoreErrors(this.#dir, async () => {
      if (run) await finishInterruptedRuns(this.#folder)
      const location = await this.#locate(id)
      if (!location) throw runNotFoundError(id)
      const bytes = measureRecord(this.#dir, location)
      await announceRemoval([location], this.#limits)
      await removeRecordFiles(this.#dir, location, this.#limits)
      await syncFolder(join(this.#dir, location.day))
      this.#usage.subtract(bytes)
    })
  }

  async expire({ dryRun = false }: { dryRun?: boolean } = {}) {
    return await withStoreErrors(this.#dir, async () => {
      if (!dryRun) await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      return await expireRuns(this.#folder, this.#limits, dryRun)
    })
  }

  /** Recovers what killed processes left, once before the first run of this process. */
  async #prepare(): Promise<void> {
    this.#prepared ??= withStoreErrors(this.#dir, async () => {
      await mkdir(getOpenFolder(this.#dir), { recursive: true, mode: 0o700 })
      await sweepLeftovers(getDraftsFolder(this.#dir))
      await finishInterruptedRuns(this.#folder)
    })
    try {
      await this.#prepared
    } catch (error) {
      this.#prepared = undefined
      throw error
    }
    this.#sweeper.sweepIfDue()
  }

  /** Counts a written record and removes the oldest ones if the quota is exceeded. */
  async #countBytes(bytes: number): Promise<void> {
    this.#usage.add(bytes)
    this.#uncounted += bytes
    if (this.#uncounted < this.#limits.quotaBytes * UNCOUNTED_SHARE) return
    this.#uncounted = 0
    const used = this.#usage.read()
    if (used === undefined || used > this.#limits.quotaBytes) await this.expire()
  }

  async #locate(id: string): Promise<RecordLocation | undefined> {
    const recent = this.#recent.get(id)
    if (recent && existsSync(getRecordFile(this.#dir, recent))) {
      return this.#hasExpired(recent) ? undefined : recent
    }
    for (const day of await listRecordDays(this.#dir)) {
      const found = (await listRecordLocations(this.#dir, day)).find(
        (location) => parseLocationId(location) === id,
      )
      if (found) return this.#hasExpired(found) ? undefined : found
    }
    return undefined
  }

  #rememberLocation({ run_id: id, started_at: startedAt }: RunRecord): void {
    this.#recent.set(id, buildRecordLocation(id, startedAt))
    const [oldest] = this.#recent.keys()
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest)
  }

  #hasExpired(location: RecordLocation): boolean {
    return parseLocationTime(location) < this.#expiryTime()
  }

  #expiryTime(): number {
    return Date.now() - this.#limits.ttlMs
  }
}

/** Streams a file from an offset; empty if the file does not exist. */
async function openFileStream(path: string, start: number): Promise<Readable> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return Readable.from([])
  if ((await file.stat()).size > start) return file.createReadStream({ start })
  await file.close()
  return Readable.from([])
}
