import { createHash } from 'node:crypto'
import { formatCaseTitle } from '../report/test-report.ts'
import type { PlannedCase } from './plan-tests.ts'

/** Selection and order of cases. */
export interface CaseSelection {
  /** Texts of which one occurs in the title of a case, in any case of letters. */
  filters: readonly string[]
  /** Tags of which a case has one; `!tag` excludes it. */
  tags: readonly string[]
  /** The part of the cases to run: `index` of `count`, counted from 1. */
  shard: { index: number; count: number } | undefined
}

/** Selects cases by title, tag and shard, in their order. */
export function selectCases(
  cases: readonly PlannedCase[],
  { filters, tags, shard }: CaseSelection,
): PlannedCase[] {
  const wanted = tags.filter((tag) => !tag.startsWith('!'))
  const excluded = tags.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1))
  const selected = cases.filter((planned) => {
    const title = getCaseTitle(planned).toLowerCase()
    const own = planned.testCase.tags
    return (
      (filters.length === 0 || filters.some((text) => title.includes(text.toLowerCase()))) &&
      (wanted.length === 0 || wanted.some((tag) => own.includes(tag))) &&
      !excluded.some((tag) => own.includes(tag))
    )
  })
  if (!shard) return selected
  return selected.filter((_, at) => at % shard.count === shard.index - 1)
}

function getCaseTitle({ entry, suite, testCase }: PlannedCase): string {
  return formatCaseTitle({ skill: entry.name, suite: suite.name, name: testCase.name })
}

/** Returns an order of cases that a seed determines. */
export function shuffleOrder(count: number, seed: string): number[] {
  const rank = (at: number) => createHash('sha256').update(`${seed}\0${at}`).digest('hex')
  return Array.from({ length: count }, (_, at) => ({ at, rank: rank(at) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ at }) => at)
}
