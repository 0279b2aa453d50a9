import { existsSync } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { SkillsError } from '../../../errors.ts'
import { syncFolder } from '../../../util/durable-file.ts'
import { sweepLeftovers } from '../../../util/leftovers.ts'
import { inStore } from '../../storage/store-error.ts'
import { Sweeper } from '../../storage/sweep.ts'
import { openUsage, type Usage } from '../../storage/usage.ts'
import { expireRuns, removeFiles, removeOldRuns, sizeOf, type RunLimits } from './expire-runs.ts'
import { asFinished, asOpen, listRuns } from './list-runs.ts'
import { idTaken, openRecord } from './open-record.ts'
import { openLogs, readOpenRun, settleOpenRuns } from './open-runs.ts'
import {
  daysIn,
  draftsIn,
  idOf,
  logsFile,
  openIn,
  openRunFolder,
  placesOn,
  recordFile,
  timeOf,
  type Place,
  type RunFolder,
} from './places.ts'
import { readRecord } from './record-file.ts'
import { recordedOutput } from './recorded-output.ts'
import { isRunId, runNotFound } from './run-id.ts'
import type { RunRecord } from './run-record.ts'
import type { OpenRecordOptions, RecordedOutput, RunQuery, RunStore } from './run-store.ts'

/** By this share of the quota each process may go beyond it before it looks. */
const UNREAD_SHARE = 0.001

/** Records as files: `<dir>/<day>/<time>-<id>.json`, the record on the first line, then the logs. */
export function openRunStore(dir: string, limits: RunLimits): RunStore {
  return new FileRunStore(dir, limits)
}

class FileRunStore implements RunStore {
  #dir: string
  #folder: RunFolder
  #sweeper: Sweeper
  #limits: RunLimits
  #usage: Usage
  #ready: Promise<void> | undefined
  /** Bytes that this process added since it looked how many there are. */
  #unread = Infinity

  constructor(dir: string, limits: RunLimits) {
    this.#dir = dir
    this.#folder = openRunFolder(dir)
    this.#sweeper = new Sweeper(dir, async () => await removeOldRuns(this.#folder, limits))
    this.#limits = limits
    this.#usage = openUsage(dir)
  }

  async open(started: RunRecord, { mayBeTaken, maxLogBytes }: OpenRecordOptions) {
    await this.#prepare()
    const written = async (bytes: number) => await this.#count(bytes)
    const record = await openRecord(this.#folder, started, { maxLogBytes, written })
    // Looked for when nobody else can begin a run of this id any more.
    if (mayBeTaken && (await this.#place(started.run_id))) {
      record.forget()
      throw idTaken(started.run_id)
    }
    return record
  }

  async list(query: RunQuery = {}) {
    return await listRuns(this.#folder, query, this.#oldest())
  }

  async get(id: string): Promise<RunRecord> {
    if (!isRunId(id)) throw runNotFound(id)
    const run = await readOpenRun(this.#folder, id)
    if (run) return asOpen(run)
    const place = await this.#place(id)
    const stored = place && readRecord(recordFile(this.#dir, place))
    if (!stored) throw runNotFound(id)
    return asFinished(stored.record)
  }

  async find(prefix: string, limit: number): Promise<string[]> {
    const start = prefix.startsWith('run_') ? prefix : `run_${prefix}`
    const underWay = await readdir(openIn(this.#dir)).catch(() => [])
    const found = new Set(underWay.filter((name) => isRunId(name) && name.startsWith(start)))
    for (const day of await daysIn(this.#dir)) {
      if (found.size >= limit) break
      for (const place of await placesOn(this.#dir, day)) {
        if (idOf(place).startsWith(start) && !this.#hasExpired(place)) found.add(idOf(place))
      }
    }
    return [...found].slice(0, limit)
  }

  async logs(id: string): Promise<Readable> {
    if (!isRunId(id)) throw runNotFound(id)
    if (await readOpenRun(this.#folder, id)) return await stream(openLogs(this.#dir, id), 0)
    const place = await this.#place(id)
    const stored = place && readRecord(recordFile(this.#dir, place))
    if (!place || !stored) throw runNotFound(id)
    const file = logsFile(this.#dir, place)
    if (existsSync(file)) return await stream(file, 0)
    return await stream(recordFile(this.#dir, place), stored.logsStart)
  }

  async output(id: string): Promise<RecordedOutput> {
    if (!isRunId(id)) throw runNotFound(id)
    const run = await readOpenRun(this.#folder, id)
    if (run && !run.isInterrupted) throw stillUnderWay(id)
    const place = await this.#place(id)
    const stored = place && readRecord(recordFile(this.#dir, place))
    if (!place || !stored) throw runNotFound(id)
    const file = logsFile(this.#dir, place)
    const logs = existsSync(file)
      ? { file, start: 0 }
      : { file: recordFile(this.#dir, place), start: stored.logsStart }
    return recordedOutput(asFinished(stored.record), stored.map ?? NOTHING_MAPPED, logs)
  }

  async remove(id: string): Promise<void> {
    if (!isRunId(id)) throw runNotFound(id)
    const run = await readOpenRun(this.#folder, id)
    if (run && !run.isInterrupted) throw stillUnderWay(id)
    await inStore(this.#dir, async () => {
      if (run) await settleOpenRuns(this.#folder)
      const place = await this.#place(id)
      if (!place) throw runNotFound(id)
      const bytes = sizeOf(this.#dir, place)
      await removeFiles(this.#dir, place, this.#limits)
      await syncFolder(join(this.#dir, place.day))
      this.#usage.subtract(bytes)
    })
  }

  async expire({ dryRun = false }: { dryRun?: boolean } = {}) {
    return await inStore(this.#dir, async () => {
      if (!dryRun) await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      return await expireRuns(this.#folder, this.#limits, dryRun)
    })
  }

  /** Before the first run of this process: what killed processes left is put right. */
  async #prepare(): Promise<void> {
    this.#ready ??= inStore(this.#dir, async () => {
      await mkdir(openIn(this.#dir), { recursive: true, mode: 0o700 })
      await sweepLeftovers(draftsIn(this.#dir))
      await settleOpenRuns(this.#folder)
    })
    try {
      await this.#ready
    } catch (error) {
      this.#ready = undefined
      throw error
    }
    this.#sweeper.sweepIfDue()
  }

  /** Counts a record that was written; the oldest ones go where all of them are too much. */
  async #count(bytes: number): Promise<void> {
    this.#usage.add(bytes)
    this.#unread += bytes
    if (this.#unread < this.#limits.quotaBytes * UNREAD_SHARE) return
    this.#unread = 0
    const used = this.#usage.read()
    if (used === undefined || used > this.#limits.quotaBytes) await this.expire()
  }

  async #place(id: string): Promise<Place | undefined> {
    for (const day of await daysIn(this.#dir)) {
      const found = (await placesOn(this.#dir, day)).find((place) => idOf(place) === id)
      if (found) return this.#hasExpired(found) ? undefined : found
    }
    return undefined
  }

  #hasExpired(place: Place): boolean {
    return timeOf(place) < this.#oldest()
  }

  #oldest(): number {
    return Date.now() - this.#limits.ttlMs
  }
}

/** Of a run that was killed it is not known who said what. */
const NOTHING_MAPPED = {
  stdout: { bytes: 0, lineEnds: 0 },
  stderr: { bytes: 0, lineEnds: 0 },
  pieces: '',
}

function stillUnderWay(id: string): SkillsError {
  return new SkillsError('run/busy', `The run "${id}" is under way`, {
    hint: 'Wait until it has ended',
    data: { run_id: id },
  })
}

/** A file from some byte on; nothing where there is none. */
async function stream(path: string, start: number): Promise<Readable> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return Readable.from([])
  if ((await file.stat()).size > start) return file.createReadStream({ start })
  await file.close()
  return Readable.from([])
}
