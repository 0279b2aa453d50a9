import { createOverlay } from '../fix/apply-edits.ts'
import type { SkillCheckResult } from '../check-skill.ts'
import type { Finding } from '../finding.ts'
import type { LoadedSkill } from '../load-skill.ts'
import { UNUSED_SUPPRESSION } from '../rules/hygiene/unused-suppression.ts'
import type { Overlay } from '../../skills/manifest/read-source.ts'
import { planSuppressions, type SuppressionAttempt } from './plan-suppressions.ts'

/** Functions of the lint run. */
interface SuppressionHooks {
  check(loaded: LoadedSkill): SkillCheckResult
  reload(overlay: Overlay): Promise<LoadedSkill | undefined>
  isIgnored(finding: Finding): boolean
}

/** Limit on passes: a finding needs at most three, and only some findings of a rule are listed. */
const MAX_PASSES = 50

/** Attempt after one that did not suppress the finding. */
const NEXT_ATTEMPT: Readonly<Record<SuppressionAttempt, SuppressionAttempt | 'none'>> = {
  line: 'file',
  file: 'path',
  path: 'none',
}

/**
 * Adds comments for all findings of a skill. If a finding is still reported, its comment is
 * discarded and it gets one with a wider scope.
 */
export async function suppressFindings(
  first: LoadedSkill,
  hooks: SuppressionHooks,
): Promise<{ checked: SkillCheckResult; overlay: Overlay; count: number }> {
  const { fromMarkdown } = await import('mdast-util-from-markdown')
  const attempts = new Map<string, SuppressionAttempt | 'none'>()
  let state: SuppressionState = {
    loaded: first,
    checked: hooks.check(first),
    overlay: createOverlay(),
  }
  const suppressedBefore = state.checked.suppressed.length
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const planned = state.checked.findings.flatMap((finding) => {
      const attempt = attempts.get(createKey(finding)) ?? 'line'
      const isSkipped = attempt === 'none' || finding.isSummary || hooks.isIgnored(finding)
      return isSkipped ? [] : [{ finding, attempt }]
    })
    if (planned.length === 0) break
    const { texts, postponed } = planSuppressions(state.loaded.skill, planned, fromMarkdown)
    const next = await applyTexts(state, texts, hooks)
    if (!next) break
    const tried = planned.filter(({ finding }) => !postponed.has(finding.file))
    const failed = findFailed(tried, state.checked.findings, next.checked.findings)
    for (const { finding, attempt } of failed) {
      attempts.set(createKey(finding), NEXT_ATTEMPT[attempt])
    }
    if (failed.length === 0) state = next
  }
  const { checked, overlay } = state
  // Findings of other rules may appear or vanish with the comments, so the sums are compared.
  const count = Math.max(0, checked.suppressed.length - suppressedBefore)
  return { checked, overlay, count }
}

interface SuppressionState {
  loaded: LoadedSkill
  checked: SkillCheckResult
  overlay: Overlay
}

async function applyTexts(
  { overlay: { texts: present, ...rest } }: SuppressionState,
  texts: ReadonlyMap<string, string>,
  hooks: SuppressionHooks,
): Promise<SuppressionState | undefined> {
  const overlay = { ...rest, texts: new Map([...present, ...texts]) }
  const loaded = await hooks.reload(overlay)
  return loaded && { loaded, checked: hooks.check(loaded), overlay }
}

interface PlannedFinding {
  finding: Finding
  attempt: SuppressionAttempt
}

/** Finds findings that are still reported, and those whose comment is reported as unused. */
function findFailed(
  planned: readonly PlannedFinding[],
  before: readonly Finding[],
  after: readonly Finding[],
): PlannedFinding[] {
  const remaining = new Set(after.map(createKey))
  const unusedBefore = new Set(before.filter(isUnusedSuppression).map(createKey))
  const unused = after.filter(
    (each) => isUnusedSuppression(each) && !unusedBefore.has(createKey(each)),
  )
  return planned.filter(
    ({ finding }) =>
      remaining.has(createKey(finding)) ||
      unused.some(
        ({ file, message }) => file === finding.file && message.includes(`"${finding.rule}"`),
      ),
  )
}

function isUnusedSuppression({ rule }: Finding): boolean {
  return rule === UNUSED_SUPPRESSION.id
}

/** Identifies equal findings of a file. New lines change the numbers in some messages. */
function createKey({ rule, file, message }: Finding): string {
  return `${rule}\0${file}\0${message.replace(/\d+/g, '#')}`
}
