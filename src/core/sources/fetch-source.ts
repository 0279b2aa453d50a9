import type { FetchedFolder, FetchedSkill, FetchOptions } from './fetched-skill.ts'
import { findKind } from './index.ts'
import type { SkillSourcePlace } from './source-place.ts'

/** Reads a skill from its source, within the limits of downloads. Nothing is executed. */
export async function fetchSource(
  place: SkillSourcePlace,
  options: FetchOptions,
): Promise<FetchedSkill> {
  return await findKind(place).fetch(place, options)
}

/** Reads all files of a source, which may have many skills. Nothing is executed. */
export async function fetchFolder(
  place: SkillSourcePlace,
  options: FetchOptions,
): Promise<FetchedFolder> {
  const kind = findKind(place)
  return (await kind.fetchFolder?.(place, options)) ?? (await kind.fetch(place, options))
}

/** The reason for which a publisher withdrew a version; undefined if it did not, or has no list of versions. */
export async function findWithdrawal(
  place: SkillSourcePlace,
  version: string,
  options: FetchOptions,
): Promise<string | undefined> {
  return await findKind(place).findWithdrawal?.(place, version, options)
}
