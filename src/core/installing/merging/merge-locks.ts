import { mergeAgents } from '../agents/locked-agent.ts'
import { formatLockFile, type LockedSkill } from '../lock-file.ts'

export type MergeSide = 'ours' | 'theirs'

/** The locks of a merge. The base is the last one that both branches had. */
export interface MergedSides {
  base: readonly LockedSkill[]
  ours: readonly LockedSkill[]
  theirs: readonly LockedSkill[]
}

/** An entry that each side changed in another way; undefined on a side that removed it. */
export interface DifferentEntry {
  name: string
  ours: LockedSkill | undefined
  theirs: LockedSkill | undefined
}

export interface MergedLock {
  skills: readonly LockedSkill[]
  different: readonly DifferentEntry[]
}

/** Merges by skill: lines of two entries are alike, so that a merge by line mixes them. */
export function mergeLocks(
  { base, ours, theirs }: MergedSides,
  preferred: MergeSide | undefined,
): MergedLock {
  const names = new Set([...ours, ...theirs].map(({ name }) => name))
  const different: DifferentEntry[] = []
  const skills = [...names].sort().flatMap((name) => {
    const find = (side: readonly LockedSkill[]) => side.find((each) => each.name === name)
    const entry: DifferentEntry = { name, ours: find(ours), theirs: find(theirs) }
    const merged = mergeEntry(entry, find(base))
    if (merged !== 'different') return merged ?? []
    if (preferred === undefined) different.push(entry)
    return entry[preferred ?? 'ours'] ?? []
  })
  return { skills, different }
}

/** The entry that the sides agree on; undefined if it is removed. */
function mergeEntry(
  { ours, theirs }: DifferentEntry,
  base: LockedSkill | undefined,
): LockedSkill | 'different' | undefined {
  if (ours && theirs && isSameInstallation(ours, theirs)) {
    return { ...ours, agents: mergeAgents(ours.agents ?? [], theirs.agents ?? []) }
  }
  if (isSameEntry(ours, base)) return theirs
  return isSameEntry(theirs, base) ? ours : 'different'
}

function isSameEntry(one: LockedSkill | undefined, other: LockedSkill | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return formatLockFile([one]) === formatLockFile([other])
}

/** True if two entries differ in agents or in the form of the consent only. */
function isSameInstallation(one: LockedSkill, other: LockedSkill): boolean {
  const [first, second] = [one, other].map((each) => ({
    ...each,
    agents: [],
    approved: { ...each.approved, by: 'yes' as const },
  }))
  return isSameEntry(first, second)
}
