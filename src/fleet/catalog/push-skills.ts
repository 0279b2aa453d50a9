import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import { addToCatalog, type CatalogResult } from './add-to-catalog.ts'
import { isRemoved, type SkillVersion } from './catalog-entry.ts'

/** Skills to push. */
export interface PushRequest {
  skills: readonly Pick<SkillEntry, 'name' | 'version' | 'dir'>[]
  /** The node or user that pushes. */
  by: string
  /** Called after each skill. */
  onResult?: (result: PushResult) => void
}

/** The result for one skill. */
export type PushResult = SkillVersion &
  (
    | { state: 'pushed' | 'unchanged'; digest: string; revision: number }
    /** The version exists with other files, or the skill cannot be packed. */
    | { state: 'refused'; reason: string; error?: SkillsError }
  )

/**
 * Adds skills of the operator to the catalog. A skill that is refused does not keep the others out.
 * Throws if the engine does not answer or is full.
 */
export async function pushSkills(
  engine: Engine,
  objects: Objects,
  { skills, by, onResult = () => {} }: PushRequest,
): Promise<PushResult[]> {
  const results: PushResult[] = []
  for (const { name, version, dir } of skills) {
    const addition = { name, version, content: { folder: dir }, source: 'push' as const, by }
    const result = await addToCatalog(engine, objects, addition).then(
      (added) => describePushResult({ name, version }, added),
      (error: unknown) => describePushError({ name, version }, error),
    )
    results.push(result)
    onResult(result)
  }
  return results
}

function describePushResult({ name, version }: SkillVersion, result: CatalogResult): PushResult {
  const { state, digest, revision } = result
  if (state !== 'refused') {
    return { name, version, state: state === 'added' ? 'pushed' : state, digest, revision }
  }
  const reason = isRemoved(result.existing)
    ? 'This version was removed, and had other files; increase the version'
    : 'This version exists with other files; increase the version'
  return { name, version, state, reason }
}

/** Errors of the engine concern all skills, others only this one. */
function describePushError({ name, version }: SkillVersion, error: unknown): PushResult {
  const isOwn = error instanceof SkillsError && !/^(?:fleet|store|host)\//.test(error.code)
  if (!isOwn) throw error
  return { name, version, state: 'refused', reason: error.message, error }
}
