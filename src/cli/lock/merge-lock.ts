import { findConflictLine } from '../../core/installing/lock-conflict.ts'
import {
  formatLockFile,
  parseLockFile,
  readLockBytes,
  writeLockFile,
  type LockedSkill,
} from '../../core/installing/lock-file.ts'
import {
  mergeLocks,
  type DifferentEntry,
  type MergeSide,
} from '../../core/installing/merging/merge-locks.ts'
import { readMergedSides } from '../../core/installing/merging/read-sides.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openPlaces } from '../install/open-places.ts'

/** `skills install --merge`. */
export async function mergeLock(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const file = places.lock
  const text = readLockBytes(file)?.toString('utf8')
  if (text === undefined) {
    throw new SkillsError('file/not-found', `There is no lock "${file}"`, {
      hint: 'Type the command in the project whose merge stopped',
    })
  }
  if (findConflictLine(text) === undefined) {
    parseLockFile(text, file)
    return reportMerged(context, [], false)
  }
  const sides = await readMergedSides(file, context.env)
  const { skills, different } = mergeLocks(sides, readPreferredSide(call))
  refuseDifferent(different)
  // Two skills may claim one folder.
  parseLockFile(formatLockFile(skills), file)
  await writeLockFile(file, skills)
  return reportMerged(context, listChanges(sides.ours, skills), true)
}

/** `--merge` without a side is `true`. */
function readPreferredSide({ options: { merge } }: CommandLine): MergeSide | undefined {
  return merge === 'ours' || merge === 'theirs' ? merge : undefined
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

/** A difference of the merged lock from that of the current branch. */
interface MergedChange {
  name: string
  change: 'added' | 'updated' | 'removed'
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

// eslint-disable-next-line max-params -- the context, the changes and whether there was a conflict
function reportMerged(
  context: Context,
  changes: readonly MergedChange[],
  isMerged: boolean,
): number {
  if (context.global.json) {
    context.document('skills.lock-merge/v1', { merged: isMerged, changes })
  } else if (isMerged) {
    const lines = changes.map(({ name, change }) => `${change} ${name}`)
    context.print([...lines, 'merged skills.lock'].join('\n'))
    context.note('Type "git add skills.lock", and "skills install" to install its skills')
  } else context.print('skills.lock has no conflicts')
  return 0
}
