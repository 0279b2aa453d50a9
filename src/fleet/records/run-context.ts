import type { Readable } from 'node:stream'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import type { RunHolder, StoredBegun } from './run-begun.ts'
import type { EncodedEnd } from './run-end.ts'

/** Options of a run store of a fleet. */
export interface FleetRunStoreOptions {
  /** The node whose runs this store records. */
  holder: RunHolder
  objects: Objects
  limits: { quotaBytes: number; ttlMs: number }
  /** False if the start of a node is gone for certain; undefined if it is not known. */
  isAlive?: ((holder: RunHolder) => boolean | undefined) | undefined
  /** Asks the node that performs a run for its logs so far; undefined if it has none. */
  readActiveLogs?:
    | ((runId: string, holder: RunHolder, offset: number) => Promise<Readable | undefined>)
    | undefined
  /**
   * Takes over the end of a run: the returned promise resolves when it is stored. The store writes the
   * end itself if the result is undefined.
   */
  onClose?: ((runId: string, end: EncodedEnd) => Promise<void> | undefined) | undefined
  /** Called before a record is removed, so that the audit has it. */
  onRemoving?: ((ids: readonly string[]) => Promise<void>) | undefined
  /** Called for each run whose record was removed. */
  onRemoved?: ((id: string) => Promise<void>) | undefined
}

/** State that the operations of a run store share. */
export interface RunStoreContext extends FleetRunStoreOptions {
  engine: Engine
  /** True while this store records the run. */
  isActive: (id: string) => boolean
}

/** True if a run without an end is still performed, as far as this node knows. */
export function isUnderWay(
  { holder, isActive, isAlive }: Pick<RunStoreContext, 'holder' | 'isActive' | 'isAlive'>,
  id: string,
  { node, start }: StoredBegun,
): boolean {
  if (node === holder.node && start === holder.start) return isActive(id)
  return isAlive?.({ node, start }) !== false
}

/** True if a record is older than the store keeps. */
export function isExpired(
  { limits }: RunStoreContext,
  { status, started_at: at }: RunRecord,
): boolean {
  return status !== 'running' && Date.parse(at) < Date.now() - limits.ttlMs
}
