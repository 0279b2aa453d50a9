import { relative, resolve } from 'node:path'
import { describeDifference } from '../../testing/report/describe-difference.ts'
import { readPendingSnapshot } from '../../testing/running/list-snapshots.ts'
import { planTests } from '../../testing/running/plan-tests.ts'
import { acceptSnapshot, removeSnapshot } from '../../core/testing/snapshots/snapshot-files.ts'
import { PENDING_EXTENSION } from '../../core/testing/snapshots/snapshot-names.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { withPrompts } from '../ui/prompts.ts'
import { reportSuiteProblems } from './report-suite-problems.ts'
import { selectSuites } from './select-suites.ts'
import { collectOpenSnapshots } from './snapshot-report.ts'
import { createPainter } from '../painter.ts'

/** A snapshot that a person decides about. */
interface ReviewItem {
  /** The snapshot, without the extension of pending ones. */
  path: string
  /** `obsolete`: no case needs it, so accepting removes it. */
  kind: 'pending' | 'obsolete'
}

type Decision = 'accept' | 'reject' | 'skip'

/** `skills test review`. */
export async function reviewSnapshots(context: Context, call: CommandLine): Promise<number> {
  const decision = readDecision(call)
  const plan = await planTests(
    selectSuites(
      context,
      call.args.filter((path) => !isSnapshot(path)),
    ),
    { docs: false, record: false },
  )
  if (plan.problems.length > 0) return reportSuiteProblems(context, plan.problems)
  const { pending, obsolete } = collectOpenSnapshots(plan.skills)
  const all: ReviewItem[] = [
    ...pending.map((path) => ({ path, kind: 'pending' as const })),
    ...obsolete.map((path) => ({ path, kind: 'obsolete' as const })),
  ]
  const items = selectNamed(context, call.args.filter(isSnapshot), all)
  if (context.global.json) {
    context.document('skills.snapshots/v1', {
      snapshots: items.map(({ path, kind }) => ({ path: relative(context.cwd, path), kind })),
      decision: decision ?? null,
    })
  }
  if (decision !== undefined) {
    for (const item of items) await applyDecision(item, decision)
    context.note(describeDecisions({ [decision]: items.length }))
    return 0
  }
  if (items.length === 0) {
    context.note('No snapshot waits for a review')
    return 0
  }
  if (context.isInteractive) return await decideAtTerminal(context, items)
  if (!context.global.json)
    for (const each of items) context.stdout.write(describeItem(context, each))
  context.note('  → Type "skills test review --accept" or "skills test review --reject"')
  return 1
}

function readDecision(call: CommandLine): Exclude<Decision, 'skip'> | undefined {
  const [accept, reject] = [getFlagOption(call, 'accept'), getFlagOption(call, 'reject')]
  if (accept && reject) {
    throw new SkillsError('usage/invalid', '--accept and --reject exclude each other', {
      hint: 'Type one of them',
    })
  }
  if (accept) return 'accept'
  return reject ? 'reject' : undefined
}

/** A path with the folders of a snapshot; other paths are skills. */
function isSnapshot(path: string): boolean {
  return /(?:^|\/)snapshots\/[^/]+\/[^/]+$/.test(path)
}

function selectNamed(
  context: Context,
  names: readonly string[],
  items: readonly ReviewItem[],
): readonly ReviewItem[] {
  if (names.length === 0) return items
  return names.map((name) => {
    const path = resolve(context.cwd, name)
    const found = items.find(
      (each) => path === each.path || path === `${each.path}${PENDING_EXTENSION}`,
    )
    if (found) return found
    throw new SkillsError('usage/invalid', `The snapshot "${name}" does not wait for a review`, {
      hint: 'Type "skills test review" to list those that do',
    })
  })
}

async function applyDecision({ path, kind }: ReviewItem, decision: Decision): Promise<void> {
  if (decision === 'skip') return
  if (kind === 'obsolete') {
    if (decision === 'accept') removeSnapshot(path)
  } else if (decision === 'accept') await acceptSnapshot(path)
  else removeSnapshot(`${path}${PENDING_EXTENSION}`)
}

async function decideAtTerminal(context: Context, items: readonly ReviewItem[]): Promise<number> {
  const { select, isCancel } = await import('@clack/prompts')
  const counts: Record<Decision, number> = { accept: 0, reject: 0, skip: 0 }
  await withPrompts(context, async (streams) => {
    for (const item of items) {
      context.stderr.write(describeItem(context, item))
      const answer = await select<Decision>({
        message: item.kind === 'pending' ? 'The new text' : 'No case needs this snapshot',
        options: OPTIONS[item.kind],
        ...streams,
      })
      if (isCancel(answer)) break
      await applyDecision(item, answer)
      counts[answer] += 1
    }
  })
  const open = items.length - counts.accept - counts.reject
  context.note(describeDecisions({ ...counts, skip: open }))
  return 0
}

const OPTIONS: Record<ReviewItem['kind'], { value: Decision; label: string }[]> = {
  pending: [
    { value: 'accept', label: 'Accept: it becomes the snapshot' },
    { value: 'reject', label: 'Reject: the snapshot stays as it is' },
    { value: 'skip', label: 'Decide later' },
  ],
  obsolete: [
    { value: 'accept', label: 'Remove it' },
    { value: 'reject', label: 'Leave it' },
  ],
}

/** The path and the difference, which comes from an untrusted run. */
function describeItem(context: Context, { path, kind }: ReviewItem): string {
  const title = `${toPrintable(relative(context.cwd, path))} (${kind})`
  if (kind === 'obsolete') return `${title}\n`
  const { before, after } = readPendingSnapshot(path)
  const difference = { kind: 'text', expected: before ?? '', actual: after } as const
  const lines = describeDifference(difference, { paint: createPainter(context) })
  return `${[title, ...lines.map((line) => `  ${line}`)].join('\n')}\n`
}

function describeDecisions(counts: Partial<Record<Decision, number>>): string {
  const { accept = 0, reject = 0, skip = 0 } = counts
  const rest = skip > 0 ? `, ${skip} still open` : ''
  return `${accept} accepted, ${reject} rejected${rest}`
}
