import type { Mutation } from './list-mutations.ts'
import type { MutantResult } from './measure-mutant.ts'

export interface Mutant {
  readonly area: string
  readonly mutation: Mutation
}

/** Results are in the order of the mutants. */
export interface MeasuredCommit {
  readonly commit: string
  readonly results: readonly MutantResult[]
  /** Test files that fail without a mutation. */
  readonly unusable: readonly string[]
}

const OUTCOMES = ['fast', 'slow', 'survived'] as const
const CELL = 10

/** A row for each area, with the outcomes at each commit, then the mutants that survived. */
export function formatReport(
  mutants: readonly Mutant[],
  commits: readonly MeasuredCommit[],
): string {
  const isCounted = (_: unknown, index: number) =>
    commits.every(({ results }) => results[index]?.outcome !== 'absent')
  const counted = mutants.filter(isCounted)
  const outcomes = commits.map(({ results }) => results.filter(isCounted))
  const formatCounts = (title: string, isWanted: (area: string) => boolean) => {
    const isInRow = (_: unknown, index: number) => isWanted(counted[index]?.area ?? '')
    const groups = outcomes.map((results) => countOutcomes(results.filter(isInRow)))
    return formatRow([title, counted.filter(isInRow).length, ...groups.flat()])
  }
  const areas = [...new Set(mutants.map(({ area }) => area))]
  const absent = mutants.length - counted.length
  return [
    formatRow(['', '', ...commits.flatMap(({ commit }) => [shortenCommit(commit), '', ''])]),
    formatRow(['area', 'mutants', ...commits.flatMap(() => OUTCOMES)]),
    ...areas.map((area) => formatCounts(area, (each) => each === area)),
    formatCounts('total', () => true),
    ...(absent > 0 ? [`${absent} more are not counted: the base does not have their lines.`] : []),
    ...commits.flatMap((commit) => describeCommit(mutants, commit)),
    '',
  ].join('\n')
}

function formatRow([title, ...cells]: readonly (string | number)[]): string {
  const row = String(title).padEnd(24) + cells.map((cell) => String(cell).padStart(CELL)).join('')
  return row.trimEnd()
}

function countOutcomes(results: readonly MutantResult[]): number[] {
  return OUTCOMES.map((name) => results.filter(({ outcome }) => outcome === name).length)
}

function describeCommit(
  mutants: readonly Mutant[],
  { commit, results, unusable }: MeasuredCommit,
): string[] {
  const survivors = mutants.flatMap(({ mutation }, index) => {
    const result = results[index]
    return result?.outcome === 'survived' ? [`  ${formatResult(mutation, result)}`] : []
  })
  return [
    ...(survivors.length > 0 ? ['', `Survived at ${shortenCommit(commit)}:`, ...survivors] : []),
    ...(unusable.length > 0
      ? [
          '',
          'Not used, because they fail without a mutation:',
          ...unusable.map((file) => `  ${file}`),
        ]
      : []),
  ]
}

function shortenCommit(commit: string): string {
  return commit.slice(0, 8)
}

/** One line about a mutant and the test that found it. */
export function formatResult(mutation: Mutation, result: MutantResult): string {
  const { file, line, operator, before, after } = mutation
  const change = [before, after].map(shortenCode).join(' → ')
  return `${file}:${line} ${operator}: ${change} (${describeResult(result)})`
}

function describeResult({ outcome, foundBy, ran, reaching }: MutantResult): string {
  if (foundBy !== undefined) return `${outcome}: ${foundBy}`
  return outcome === 'absent' ? outcome : `survived ${ran} of ${reaching} test files that reach it`
}

function shortenCode(code: string): string {
  const text = code.trim().split(/\s+/).join(' ')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text || 'nothing'
}
