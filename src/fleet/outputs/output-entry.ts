import { outputDamagedError } from '../../core/outputs/store/handle.ts'
import {
  isOutputManifest,
  isOutputTombstone,
  type OutputManifest,
  type OutputTombstone,
} from '../../core/outputs/store/manifest.ts'
import { STREAM_NAMES, type StreamName } from '../../core/outputs/store/output-store.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { isObjectRef } from '../objects/chunks.ts'
import { decodeEntry, type NamedUploads, type Tombstone } from '../objects/entries.ts'
import type { ObjectRef } from '../objects/objects.ts'

/** The entry of an output: its manifest, and the objects of long streams. */
export interface OutputEntry extends OutputManifest, NamedUploads {
  /** The gzip members of streams that are not in the manifest. */
  objects: Partial<Record<StreamName, ObjectRef>>
  /** The member indexes as JSON, if they are too long for an entry; then those of the manifest are empty. */
  index?: ObjectRef
}

/** Left by an output that expired, or that was removed with its run. */
export interface RemovedOutput extends Tombstone, OutputTombstone {
  isExpired: boolean
}

/** Subject of the entry of an output, by its key. */
export function nameOutputEntry(key: string): string {
  return `u.${key}`
}

/** Last part of the subject of a tombstone: a run has one output. */
export const OUTPUT_TOMBSTONE = 'gone'

/** Throws `output/damaged`. */
export function decodeOutputEntry(handle: string, message: StoredMessage): OutputEntry {
  try {
    const entry = decodeEntry<OutputEntry>(message) as OutputEntry
    const refs = [...STREAM_NAMES.map((name) => entry.objects?.[name]), entry.index]
    const areRefsValid = refs.every((ref) => ref === undefined || isObjectRef(ref))
    if (isOutputManifest(entry) && areRefsValid) return entry
    throw new Error('a member is missing or has another type')
  } catch (cause) {
    throw outputDamagedError(handle, cause)
  }
}

/** Throws `output/damaged`. */
export function decodeRemovedOutput(handle: string, message: StoredMessage): RemovedOutput {
  try {
    const removed = decodeEntry<RemovedOutput>(message) as RemovedOutput
    if (isOutputTombstone(removed)) return removed
    throw new Error('a member is missing or has another type')
  } catch (cause) {
    throw outputDamagedError(handle, cause)
  }
}

/** All objects of an output. */
export function listOutputObjects({ objects, index }: Omit<OutputEntry, 'uploads'>): ObjectRef[] {
  return [objects.stdout, objects.stderr, index].filter((ref) => ref !== undefined)
}

/** The entry without the members that only the store needs. */
export function toManifest(entry: OutputEntry): OutputManifest {
  const { uploads: _, objects: __, index: ___, ...manifest } = entry
  return manifest
}
