import type { Readable } from 'node:stream'
import { EMPTY_LOG_MAP, type LogMap, type LogSource } from '../../core/runs/history/log-pieces.ts'
import { openRecordedOutput } from '../../core/runs/history/recorded-output.ts'
import { checkRunId, runStillActiveError } from '../../core/runs/history/run-id.ts'
import type { RunRecord, RecordedLogs } from '../../core/runs/history/run-record.ts'
import type {
  OpenRecord,
  OpenRecordOptions,
  RecordedOutput,
  RunQuery,
  RunStore,
} from '../../core/runs/history/run-store.ts'
import { toSkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { declareInterrupted } from './declare-interrupted.ts'
import { expireFleetRuns, removeRun } from './expire-fleet-runs.ts'
import { findFleetRuns, listFleetRuns } from './list-fleet-runs.ts'
import { openBytes, openEndLogs, openLogReader } from './read-end-logs.ts'
import { readLateEnd, readRun, type FoundFleetRun } from './read-run.ts'
import { writeBegun } from './run-begun.ts'
import type { FleetRunStoreOptions, RunStoreContext } from './run-context.ts'
import { encodeEnd, readEnd, writeEnd } from './run-end.ts'
import { loadValue } from './stored-value.ts'
import { isEngineAway, repeatWhileAway } from './repeat-while-away.ts'
import { LogMeter } from '../../core/runs/history/log-meter.ts'

/**
 * Opens the store of run records in the stream `runs`. A run has a message when it begins and one when
 * it ends; of several writers of either, one succeeds. The logs of an active run are in the memory of
 * the node that performs it.
 */
export function openFleetRunStore(engine: Engine, options: FleetRunStoreOptions): RunStore {
  return new FleetRunStore(engine, options)
}

class FleetRunStore implements RunStore {
  #context: RunStoreContext
  #active = new Map<string, MemoryLogs>()
  /** Ids whose beginning is being stored: another reader may see it before this store. */
  #opening = new Set<string>()

  constructor(engine: Engine, options: FleetRunStoreOptions) {
    this.#context = {
      ...options,
      engine,
      isActive: (id) => this.#active.has(id) || this.#opening.has(id),
    }
  }

  async open(started: RunRecord, { maxLogBytes }: OpenRecordOptions): Promise<OpenRecord> {
    const id = checkRunId(started.run_id)
    const { engine, holder, objects } = this.#context
    const logs = new MemoryLogs(maxLogBytes)
    this.#opening.add(id)
    try {
      await writeBegun(engine, started, { holder, objects })
      this.#active.set(id, logs)
    } finally {
      this.#opening.delete(id)
    }
    return {
      describeLogs: () => logs.describe(),
      log: (piece, source = 'runtime') => logs.add(piece, source),
      close: async (record, onWritten) => {
        // Another node may end the run first, so verification accepts a record without its end.
        onWritten?.()
        await this.#close(record, logs)
      },
    }
  }

  async list(query: RunQuery = {}) {
    return await listFleetRuns(this.#context, query)
  }

  async get(id: string): Promise<RunRecord> {
    const { record } = await readRun(this.#context, id)
    const late = record.status === 'interrupted' ? await readLateEnd(this.#context, id) : undefined
    return late ? { ...record, late } : record
  }

  async find(prefix: string, limit: number): Promise<string[]> {
    return await findFleetRuns(this.#context, prefix, limit)
  }

  async logs(id: string, offset = 0): Promise<Readable> {
    const { engine, objects } = this.#context
    const run = await readRun(this.#context, id)
    const active = run.end ? undefined : await this.#readActiveLogs(run, offset)
    if (active) return active
    // A node that has no logs of the run may have ended it meanwhile.
    const end = run.end ?? (await readEnd(engine, id))
    if (!end) return openBytes(Buffer.alloc(0))
    return openEndLogs(end, objects, { runId: id, offset })
  }

  async output(id: string): Promise<RecordedOutput> {
    const { objects } = this.#context
    const { record, end } = await readRun(this.#context, id)
    if (record.status === 'running') throw runStillActiveError(id)
    const map = end ? await loadValue(end.map, objects) : EMPTY_LOG_MAP
    const openStored = () =>
      end ? openEndLogs(end, objects, { runId: id }) : openBytes(Buffer.alloc(0))
    return openRecordedOutput(record, map, {
      open: async () => openLogReader(openStored()),
      start: 0,
    })
  }

  async remove(id: string): Promise<void> {
    const { record } = await readRun(this.#context, id)
    if (record.status === 'running') throw runStillActiveError(id)
    await removeRun(this.#context, id)
  }

  async expire({ dryRun = false }: { dryRun?: boolean } = {}) {
    return await expireFleetRuns(this.#context, dryRun)
  }

  async #readActiveLogs(
    { record, begun }: FoundFleetRun,
    offset: number,
  ): Promise<Readable | undefined> {
    const { run_id: id, status } = record
    const own = this.#active.get(id)
    if (own) return openBytes(own.read(offset))
    if (!begun || status !== 'running') return undefined
    const { node, start } = begun
    return await this.#context.readActiveLogs?.(id, { node, start }, offset)
  }

  async #close(record: RunRecord, memory: MemoryLogs): Promise<void> {
    const { engine, holder, objects, onClose } = this.#context
    const id = record.run_id
    const ended = { ...memory.end(), record: { ...record, logs: memory.describe() } }
    let isTakenOver = false
    const store = async () => {
      const end = await encodeEnd(ended, { holder, objects })
      const taken = onClose?.(id, end)
      isTakenOver = taken !== undefined
      await (taken ?? writeEnd(engine, id, end))
    }
    try {
      await store()
      this.#active.delete(id)
    } catch (error) {
      if (isEngineAway(error) && !isTakenOver) {
        // The caller does not wait for it, but the record must have what became of the run.
        void repeatWhileAway(store).finally(() => this.#active.delete(id))
      } else {
        await this.#giveUp(id, error)
        this.#active.delete(id)
      }
      throw error
    }
  }

  /** Ends a run whose end cannot be stored, for example because its logs have no room. */
  async #giveUp(id: string, error: unknown): Promise<void> {
    const { engine, holder: by, objects } = this.#context
    if (isEngineAway(error) || toSkillsError(error).code === 'run/interrupted') return
    const reason = 'The end of the run could not be stored'
    await declareInterrupted(engine, id, { by, reason, objects }).catch(() => {})
  }
}

const FIRST_BYTES = 4096

/** Logs of an active run, in memory up to their limit. */
class MemoryLogs {
  #meter: LogMeter
  /** Grows by doubling: many short pieces as buffers of their own would need more memory. */
  #content: Buffer = Buffer.alloc(0)
  #size = 0

  constructor(maxBytes: number) {
    this.#meter = new LogMeter(maxBytes)
  }

  add(piece: Uint8Array | string, source: LogSource): void {
    const kept = this.#meter.add(toBuffer(piece), source)
    const size = this.#size + kept.length
    if (size > this.#content.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(size, this.#content.length * 2, FIRST_BYTES))
      this.#content.copy(grown, 0, 0, this.#size)
      this.#content = grown
    }
    kept.copy(this.#content, this.#size)
    this.#size = size
  }

  describe(): RecordedLogs {
    return this.#meter.describe()
  }

  /** The logs so far, from an offset. Their bytes do not change later. */
  read(offset = 0): Buffer {
    return this.#content.subarray(Math.min(offset, this.#size), this.#size)
  }

  end(): { logs: Buffer; map: LogMap } {
    return { logs: this.read(), map: this.#meter.end() }
  }
}

function toBuffer(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece)
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}
