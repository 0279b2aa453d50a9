import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { findConflictLine } from '../lock-conflict.ts'
import {
  formatLockFile,
  parseLockFile,
  readLockBytes,
  writeLockFile,
  type LockedSkill,
} from '../lock-file.ts'
import { mergeLocks, type DifferentEntry, type MergeSide } from './merge-locks.ts'
import { readMergedSides } from './read-sides.ts'

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
