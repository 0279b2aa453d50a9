import { FOREIGN_FILES, type ForeignFormat, type ForeignLock } from './foreign-lock.ts'
import type { CreatedEntry } from './create-entry.ts'

/** `replaced`: an entry of the same name had another source. */
export type EntryState = 'added' | 'updated' | 'unchanged' | 'replaced'

export interface MergedEntries {
  text: string
  states: readonly { key: string; state: EntryState; before: unknown }[]
  /** Names of entries that are not ours, which stay. */
  kept: readonly string[]
}

interface EntryTarget {
  format: ForeignFormat
  before: ForeignLock | undefined
  /** ISO time for the format that has times. */
  now: string
}

type ForeignValue = Readonly<Record<string, unknown>>

/** Adds entries to a lock. Its other entries and keys stay as they are. */
export function mergeEntries(
  created: readonly CreatedEntry[],
  { format, before, now }: EntryTarget,
): MergedEntries {
  const old = (before?.document['skills'] ?? {}) as Readonly<Record<string, ForeignValue>>
  const merged = created.map(({ key, value }) => {
    const existing = Object.hasOwn(old, key) ? old[key] : undefined
    const state = compareForeignValues(existing, value)
    return { key, state, before: existing?.['source'], value: mergeValue(existing, value, state) }
  })
  const keys = new Set(created.map(({ key }) => key))
  const kept = Object.keys(old).filter((key) => !keys.has(key))
  const entries = [
    ...kept.map((key) => [key, old[key]] as const),
    ...merged.map(({ key, value, state }) => {
      const times = format === 'skill-lock' ? createTimes(value, state, now) : {}
      return [key, { ...value, ...times }] as const
    }),
  ].sort(([a], [b]) => (a < b ? -1 : 1))
  const document = {
    ...before?.document,
    version: FOREIGN_FILES[format].version,
    skills: Object.fromEntries(entries),
    ...(format === 'skill-lock' && { dismissed: before?.document['dismissed'] ?? {} }),
  }
  const end = format === 'skills-lock' ? '\n' : ''
  return { text: JSON.stringify(document, undefined, 2) + end, states: merged, kept: kept.sort() }
}

const ORIGIN = ['source', 'sourceType', 'skillPath', 'sourceBaseUrl'] as const
const HASHES = ['computedHash', 'skillFolderHash', 'wellKnownDigest'] as const

function compareForeignValues(existing: ForeignValue | undefined, value: ForeignValue): EntryState {
  if (existing === undefined) return 'added'
  const isSame =
    ORIGIN.every((key) => existing[key] === value[key]) &&
    (existing['ref'] ?? existing['pinnedRef']) === value['ref'] &&
    // The address of the archive of a site has its version.
    (value['sourceBaseUrl'] !== undefined || existing['sourceUrl'] === value['sourceUrl'])
  if (!isSame) return 'replaced'
  return HASHES.every((key) => existing[key] === value[key]) ? 'unchanged' : 'updated'
}

/** Keys that the other tool added to an entry of the same source stay. */
function mergeValue(
  existing: ForeignValue | undefined,
  value: ForeignValue,
  state: EntryState,
): ForeignValue {
  return state === 'replaced' ? value : { ...existing, ...value }
}

function createTimes(value: ForeignValue, state: EntryState, now: string): ForeignValue {
  const installedAt = value['installedAt'] ?? now
  const updatedAt = state === 'unchanged' ? (value['updatedAt'] ?? now) : now
  return { installedAt, updatedAt }
}
