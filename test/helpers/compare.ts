import { createHash } from 'node:crypto'
import { compareSkills, type SkillComparison } from '../../src/core/comparing/compare-skills.ts'
import { SnapshotBuilder } from '../../src/core/comparing/snapshots/snapshot-builder.ts'
import type { ContentSnapshot } from '../../src/core/comparing/snapshots/snapshot.ts'
import { EXAMPLE_SKILL } from '../../src/core/lint/example-skill.ts'
import { INHERITED_ENV } from './inherited-env.ts'

/** A file of a snapshot: its text, bytes, bytes with a mode, or a link. */
type SnapshotEntry = string | Uint8Array | { text?: string; mode?: number; link?: string }

/** Files by path; null removes a file of the example skill. */
export type SnapshotTree = Readonly<Record<string, SnapshotEntry | null>>

/** A snapshot of the example skill of lint with changed files. */
export function createSnapshot(changes: SnapshotTree = {}, label = 'skill'): ContentSnapshot {
  const builder = new SnapshotBuilder(label, 'greet')
  for (const [path, entry] of Object.entries({ ...EXAMPLE_SKILL, ...changes })) {
    if (entry !== null) addSnapshotEntry(builder, path, entry)
  }
  return builder.build()
}

function addSnapshotEntry(builder: SnapshotBuilder, path: string, entry: SnapshotEntry): void {
  const isPlain = typeof entry === 'string' || entry instanceof Uint8Array
  const { text = '', mode = 0o644, link } = isPlain ? {} : entry
  if (link !== undefined) return builder.addLink(path, link)
  const bytes = Buffer.from(isPlain ? entry : text)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const kept = builder.keepsSize(bytes.length) ? bytes : undefined
  builder.addFile(path, { mode, size: bytes.length, digest, bytes: kept })
}

/** Compares two versions of the example skill. */
export async function compareTrees(
  before: SnapshotTree,
  after: SnapshotTree,
): Promise<SkillComparison> {
  const options = { python: undefined, env: INHERITED_ENV }
  return await compareSkills(
    createSnapshot(before, 'before'),
    createSnapshot(after, 'after'),
    options,
  )
}
