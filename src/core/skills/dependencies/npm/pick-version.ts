import { SkillsError } from '../../../../errors.ts'
import type { Packument } from '../../../registries/npm/packument.ts'
import { loadSemverRanges } from './semver-ranges.ts'

/** The version for a range: a locked one, else the latest, else the highest without a warning. */
export function pickVersion(
  { tags, versions }: Packument,
  range: string,
  locked: readonly string[] = [],
): string | undefined {
  const { maxSatisfying, validRange } = loadSemverRanges()
  const tag = tags.get(range)
  if (tag !== undefined && versions.has(tag)) return tag
  if (validRange(range) === null) return undefined
  const kept = maxSatisfying(
    locked.filter((each) => versions.has(each)),
    range,
  )
  if (kept !== null) return kept
  const all = [...versions.keys()]
  const fresh = all.filter((each) => versions.get(each)?.deprecated === undefined)
  const latest = fresh.filter((each) => each === tags.get('latest'))
  const lists = [latest, fresh, all]
  return lists.map((list) => maxSatisfying(list, range)).find((each) => each !== null) ?? undefined
}

/** Refuses what is not in a registry: git, addresses, folders. */
export function parseRange(name: string, written: string): { name: string; range: string } {
  const alias = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(written)
  const range = (alias ? (alias[2] ?? '') : written).trim()
  if (/[:/]|^\./.test(range)) {
    throw new SkillsError('skill/invalid', `"${name}" is declared as "${written}", which is not in a registry`, {
      hint: 'Declare a range of versions such as "^1.2.0"',
    })
  }
  return { name: alias?.[1] ?? name, range: range === '' ? '*' : range }
}
