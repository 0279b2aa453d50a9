import type { Readable } from 'node:stream'
import { toStoredOutput } from '../../core/outputs/store/file-output-writer.ts'
import {
  deriveOutputKey,
  outputExpiredError,
  outputNotFoundError,
  parseOutputKey,
} from '../../core/outputs/store/handle.ts'
import { authorizeReader } from '../../core/outputs/store/manifest.ts'
import type {
  OpenOutput,
  OutputOptions,
  OutputReader,
  OutputStore,
  StoredOutput,
  StreamName,
  SweptOutputs,
} from '../../core/outputs/store/output-store.ts'
import type { OutputLimits } from '../../core/outputs/store/sweep-outputs.ts'
import type { Engine } from '../engine/engine.ts'
import { openObjects } from '../objects/open-objects.ts'
import { FleetOutputWriter } from './fleet-output-writer.ts'
import {
  decodeOutputEntry,
  decodeRemovedOutput,
  nameOutputEntry,
  OUTPUT_TOMBSTONE,
  toManifest,
  type OutputEntry,
  type RemovedOutput,
} from './output-entry.ts'
import { openFleetOutput, readOutputContent } from './read-output.ts'
import { createOutputIndex, removeOutput, sweepFleetOutputs } from './sweep-fleet-outputs.ts'

/** A process that has stored this share of the quota sweeps, so that no node has to count each output. */
const SWEEP_SHARE = 0.1

/** Outputs in the engine of a fleet: an entry for each, which is stored after its long streams. */
export function openFleetOutputStore(
  engine: Engine,
  { limits }: { limits: OutputLimits },
): OutputStore {
  return new FleetOutputStore(engine, limits)
}

/**
 * The quota can be exceeded by a tenth for each node, until one of them sweeps. An output is reported
 * as expired for as long as the engine keeps its tombstone; afterwards it is unknown.
 */
class FleetOutputStore implements OutputStore {
  #engine: Engine
  #objects
  #index
  #limits: OutputLimits
  /** Bytes that this process has stored since its last sweep. */
  #added = 0

  constructor(engine: Engine, limits: OutputLimits) {
    this.#engine = engine
    this.#limits = limits
    this.#objects = openObjects(engine, 'data')
    this.#index = createOutputIndex(engine)
  }

  open(options: OutputOptions): FleetOutputWriter {
    return new FleetOutputWriter(options, {
      engine: this.#engine,
      objects: this.#objects,
      limits: this.#limits,
      countUsage: (bytes) => this.#countUsage(bytes),
    })
  }

  async info(handleOrRun: string, reader: OutputReader): Promise<StoredOutput> {
    return toStoredOutput(toManifest(await this.#readEntry(handleOrRun, reader)))
  }

  async read(handleOrRun: string, reader: OutputReader): Promise<OpenOutput> {
    return await openFleetOutput(this.#objects, await this.#readEntry(handleOrRun, reader))
  }

  async content(handleOrRun: string, name: StreamName, reader: OutputReader): Promise<Readable> {
    return readOutputContent(this.#objects, await this.#readEntry(handleOrRun, reader), name)
  }

  async remove(runId: string): Promise<void> {
    await removeOutput(this.#parts, deriveOutputKey(runId))
  }

  async sweep({ dryRun = false }: { dryRun?: boolean } = {}): Promise<SweptOutputs> {
    return await sweepFleetOutputs(this.#parts, dryRun)
  }

  get #parts() {
    return { engine: this.#engine, index: this.#index, limits: this.#limits }
  }

  async #readEntry(handleOrRun: string, reader: OutputReader): Promise<OutputEntry> {
    const key = parseOutputKey(handleOrRun)
    const isRun = handleOrRun.startsWith('run_')
    const message = await this.#engine.last('data', nameOutputEntry(key))
    const found = message && decodeOutputEntry(handleOrRun, message)
    const described = found ?? (await this.#readExpired(handleOrRun, key))
    // A handle with another time or repository may end in the same key.
    if (!described || (!isRun && described.handle !== handleOrRun))
      throw outputNotFoundError(handleOrRun)
    authorizeReader(handleOrRun, described, reader)
    if (!found || Date.parse(found.createdAt) + this.#limits.ttlMs < Date.now()) {
      throw outputExpiredError(handleOrRun)
    }
    return found
  }

  async #readExpired(handle: string, key: string): Promise<RemovedOutput | undefined> {
    const subject = `${nameOutputEntry(key)}.${OUTPUT_TOMBSTONE}`
    const message = await this.#engine.last('data', subject)
    const removed = message && decodeRemovedOutput(handle, message)
    return removed?.isExpired ? removed : undefined
  }

  /** Sweeps in the background: the run whose output was stored does not wait for it. */
  #countUsage(bytes: number): void {
    this.#added += bytes
    if (this.#added < this.#limits.quotaBytes * SWEEP_SHARE) return
    this.#added = 0
    void this.sweep().catch(() => {})
  }
}
