import { basename, dirname } from 'node:path'
import { openGitReader } from '../../comparing/snapshots/git-program.ts'
import { mergeAgents } from '../agents/locked-agent.ts'
import {
  findConflictLine,
  formatLockFile,
  lockError,
  parseLockFile,
  readLockBytes,
  writeLockFile,
  type LockedSkill,
} from '../lock-file.ts'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'

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

/** A difference of the merged lock from that of the current branch. */
export interface MergedChange {
  name: string
  change: 'added' | 'updated' | 'removed'
}

interface MergeRequest {
  env: Readonly<Record<string, string | undefined>>
  /** The side that decides on skills that both changed. */
  side: MergeSide | undefined
}

/** Resolves the conflicts of git in a lock; undefined if it has none. */
export async function mergeLockFile(
  file: string,
  { env, side }: MergeRequest,
): Promise<readonly MergedChange[] | undefined> {
  const text = readLockBytes(file)?.toString('utf8')
  if (text === undefined) {
    throw new SkillsError('file/not-found', `There is no lock "${file}"`, {
      hint: 'Type the command in the project whose merge stopped',
    })
  }
  if (findConflictLine(text) === undefined) {
    parseLockFile(text, file)
    return undefined
  }
  const sides = await readMergedSides(file, env)
  const { skills, different } = mergeLocks(sides, side)
  refuseDifferent(different)
  // Two skills may claim one folder.
  parseLockFile(formatLockFile(skills), file)
  await writeLockFile(file, skills)
  return listChanges(sides.ours, skills)
}

function refuseDifferent(different: readonly DifferentEntry[]): void {
  if (different.length === 0) return
  const describe = (skill: LockedSkill | undefined) => skill?.version ?? 'removed'
  const texts = different.map(
    ({ name, ours, theirs }) => `${name} (ours: ${describe(ours)}, theirs: ${describe(theirs)})`,
  )
  throw new SkillsError('lock/invalid', `Both sides changed ${toPrintable(texts.join(', '))}`, {
    hint: 'Type --merge ours or --merge theirs to choose a side for these skills',
    data: { skills: different.map(({ name }) => name) },
  })
}

function listChanges(
  ours: readonly LockedSkill[],
  merged: readonly LockedSkill[],
): readonly MergedChange[] {
  const changes = merged.flatMap((skill): MergedChange[] => {
    const { name } = skill
    const before = ours.find((each) => each.name === name)
    if (before === undefined) return [{ name, change: 'added' }]
    return before.tree === skill.tree ? [] : [{ name, change: 'updated' }]
  })
  const left = new Set(merged.map(({ name }) => name))
  const removed = ours.filter(({ name }) => !left.has(name))
  return [...changes, ...removed.map(({ name }) => ({ name, change: 'removed' as const }))]
}

/**
 * Reads the sides of an unfinished merge from the index of git. The text between conflict markers
 * does not tell them: git has merged other lines of both sides already.
 */
export async function readMergedSides(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<MergedSides> {
  const git = openGitReader(dirname(file), env)
  const listed = await git.run(['ls-files', '--unmerged', '-z', '--', basename(file)])
  const ids = new Map(
    [...listed.stdout.matchAll(/\d{6} ([0-9a-f]{40,64}) ([123])\t[^\0]*\0/g)].map(
      ([, id = '', stage = '']) => [stage, id] as const,
    ),
  )
  if (ids.size === 0) {
    throw lockError(
      file,
      'it has conflict markers, and git has no unfinished merge of it',
      'Type "git checkout --merge skills.lock" to begin again, or restore it from version control',
    )
  }
  const read = async (stage: string, side: string): Promise<LockedSkill[]> => {
    const id = ids.get(stage)
    if (id === undefined) return []
    const { ok, stdout } = await git.run(['cat-file', 'blob', id])
    if (!ok) throw lockError(file, `git has no content for its side "${side}"`)
    return parseLockFile(stdout, `${file} (${side})`)
  }
  return {
    base: await read('1', 'base'),
    ours: await read('2', 'ours'),
    theirs: await read('3', 'theirs'),
  }
}
