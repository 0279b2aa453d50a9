import { expect } from 'vitest'
import { findGaps, selectAttacks, type Matrix } from '../../../helpers/matrix.ts'
import type { Scenario } from './scenarios.ts'

/** A step of a command, by its number. */
type NumberedStep = readonly [at: number, name: string]

/** Commands with the names of their steps. */
export type CommandSteps = ReadonlyMap<Scenario, readonly string[]>

/** Selects the steps of each command that are tried: each step with each kind of command that has it. */
export function selectSteps(steps: CommandSteps): ReadonlyMap<Scenario, readonly NumberedStep[]> {
  const named = new Map([...steps].map(([scenario, list]) => [scenario, nameSteps(list)]))
  const matrix: Matrix<string, Scenario> = {
    attacks: [...new Set([...named.values()].flat())],
    subjects: [...steps.keys()],
    name: (step) => step,
    describe: ({ command }) => ({ command: command.split(' ', 1)[0] ?? '' }),
    applies: (step, scenario) => named.get(scenario)?.includes(step) === true,
  }
  const selected = selectAttacks(matrix)
  expect(findGaps(matrix, selected)).toEqual([])
  return new Map(
    [...named].map(([scenario, names]) => {
      const all = names.map((name, at): NumberedStep => [at, name])
      return [scenario, all.filter(([, name]) => selected.get(scenario)?.includes(name))]
    }),
  )
}

/** Names that are the same in each command, without names of skills, processes and digests. Repeated ones are counted. */
function nameSteps(steps: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return steps.map((step) => {
    const name = step
      .replaceAll(/[0-9a-f]{8}\.\d+-\d+\.(?:[0-9a-f]{24}|\d{13})|[0-9a-f]{64}/g, '*')
      .replaceAll(/\b(?:greet|bye)\b/g, 'skill')
      .replaceAll(/\block\.\d+/g, 'lock')
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return `${name} (${count})`
  })
}
