import { relative } from 'node:path'
import type { SnapshotMode } from '../../testing/running/judge-snapshot.ts'
import { listOpenSnapshots, type OpenSnapshots } from '../../testing/running/list-snapshots.ts'
import type { PlannedSkill } from '../../testing/running/plan-tests.ts'
import { removeSnapshot } from '../../core/testing/snapshots/snapshot-files.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** In CI nothing is written; elsewhere a changed text waits for a review. */
export function selectSnapshotMode(context: Context, call: CommandLine): SnapshotMode {
  const isUpdate = getFlagOption(call, 'update') || getFlagOption(call, 'updateSnapshots')
  if (!isContinuousIntegration(context)) return isUpdate ? 'update' : 'review'
  if (!isUpdate) return 'fixed'
  throw new SkillsError(
    'usage/invalid',
    'With CI set, --update is refused: snapshots are fixed in CI',
    {
      hint: 'Run "skills test --update" on your machine, and commit the snapshots',
    },
  )
}

/** True if the variable CI is set to anything but an empty text, 0 or false. */
export function isContinuousIntegration({ env }: Pick<Context, 'env'>): boolean {
  return !['', '0', 'false', undefined].includes(env['CI'])
}

/** Lists the open snapshots of all tested skills. */
export function collectOpenSnapshots(skills: readonly PlannedSkill[]): OpenSnapshots {
  const lists = skills.map(({ skill, suites, isWhole }) =>
    listOpenSnapshots(skill, suites, isWhole),
  )
  return {
    pending: lists.flatMap(({ pending }) => pending),
    obsolete: lists.flatMap(({ obsolete }) => obsolete),
  }
}

/**
 * Reports snapshots that wait for a review, and those that no case needs. Returns false if obsolete
 * ones fail the test run.
 */
export function reportSnapshots(
  context: Context,
  skills: readonly PlannedSkill[],
  mode: SnapshotMode,
): boolean {
  const { pending, obsolete } = collectOpenSnapshots(skills)
  if (mode === 'update') {
    for (const path of obsolete) removeSnapshot(path)
    if (obsolete.length > 0) context.note(`Removed ${listPaths(context, obsolete)}`)
    return true
  }
  if (pending.length > 0 && mode === 'review') {
    const verb = pending.length === 1 ? 'waits' : 'wait'
    context.note(
      `${countSnapshots(pending.length)} ${verb} for a review: type "skills test review"`,
    )
  }
  if (obsolete.length === 0) return true
  const text = `No case needs ${listPaths(context, obsolete)}`
  if (mode === 'fixed') {
    context.stderr.write(`${context.errorStyle.red('error')} ${text}\n`)
    context.stderr.write(
      '  → Type "skills test review" on your machine to remove obsolete snapshots\n',
    )
    return false
  }
  context.note(`${text}: type "skills test review"`)
  return true
}

function countSnapshots(count: number): string {
  return count === 1 ? '1 snapshot' : `${count} snapshots`
}

function listPaths({ cwd }: Context, paths: readonly string[]): string {
  return paths.map((path) => `"${toPrintable(relative(cwd, path))}"`).join(', ')
}
