import type { FetchedSkill, FetchOptions } from './fetched-skill.ts'
import { findKind } from './index.ts'
import type { SkillSourcePlace } from './source-place.ts'

/** Reads a skill from its source, within the limits of downloads. Nothing is executed. */
export async function fetchSource(
  place: SkillSourcePlace,
  options: FetchOptions,
): Promise<FetchedSkill> {
  return await findKind(place).fetch(place, options)
}
