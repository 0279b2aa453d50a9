import type { Publication } from '../../core/publishing/publish-skill.ts'
import type { PlannedWrite, PublishTarget } from '../../core/publishing/targets/publish-target.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Context } from '../context.ts'
import { describeExceeded } from '../pack/print-pack.ts'
import { formatCount } from '../ui/text.ts'

/** Prints the result; returns the exit status. */
export function reportPublication(
  context: Context,
  target: PublishTarget,
  publication: Publication,
): number {
  const { built, tests, status } = publication
  if (context.global.json) {
    context.document('skills.publish/v1', toRecord(target, publication))
    return 0
  }
  const { skill, version, tree } = built.release
  const what = toPrintable(`${skill}@${version} ${tree}`)
  const label = toPrintable(target.label)
  const titles = {
    published: `published ${what} to ${label}`,
    present: `${what} is already there: ${label}`,
    planned: `would publish ${what} to ${label}`,
  }
  context.print(titles[status])
  if (status === 'present') return 0
  for (const write of publication.writes) context.print(`  ${formatWrite(write)}`)
  if (tests.status === 'passed') context.note(`Tests: ${formatCount(tests.cases, 'case')} passed`)
  if (tests.status === 'skipped') context.note('Warning: the tests were skipped (--no-tests)')
  if (tests.status === 'none') context.note('Warning: the skill has no tests')
  if (publication.key !== undefined) context.note(`Signed with the key ${publication.key}`)
  for (const limit of built.exceeded) context.note(`Warning: ${describeExceeded(limit)}`)
  return 0
}

function formatWrite({ action, path, size, digest }: PlannedWrite): string {
  const facts = [size === undefined ? '' : formatBytes(size), digest ?? '']
  return [action.padEnd(7), toPrintable(path), ...facts].filter((each) => each !== '').join('  ')
}

function toRecord(
  target: PublishTarget,
  { status, built, version, tests, commit, key, writes }: Publication,
) {
  const { release, exceeded } = built
  return {
    status,
    target: target.label,
    skill: release.skill,
    version: release.version,
    tree: release.tree,
    newest_before: version.newest ?? null,
    step: version.needed ?? null,
    tests: { status: tests.status, cases: tests.cases },
    commit: commit?.commit ?? null,
    key: key ?? null,
    archives: release.archives.map(({ format, file, bytes, digest }) => ({
      format,
      file,
      size: bytes.length,
      digest,
    })),
    writes,
    exceeded_limits: exceeded,
  }
}
