// @module-tag slow
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { copyTree } from './disk-steps.ts'
import { killAtStep, listEverything } from './interruption.ts'
import { findRecoveryProblems, recordCommand, type RecordedCommand } from './recover.ts'
import { createBase, SCENARIOS, type Scenario } from './scenarios.ts'

const OPTIONS = { timeout: 600_000 }

/** Problems after a kill at each step, by step. */
async function findProblems(
  scenario: Scenario,
  recorded: RecordedCommand,
): Promise<Record<string, string[]>> {
  const problems: Record<string, string[]> = {}
  for (const [at, step] of recorded.steps.entries()) {
    const found = await findRecoveryProblems(join(recorded.record, `${at}`), scenario, recorded)
    if (found.length > 0) problems[`${at} ${step}`] = found
  }
  console.log(`${scenario.name}: killed at ${recorded.steps.length} steps`)
  return problems
}

/** A process that is really killed at a step leaves the disk that was recorded before this step. */
async function compareKilled(
  { command }: Scenario,
  { base, record }: RecordedCommand,
  step: number,
): Promise<void> {
  // Read at once: the recovery from this step changes it.
  const expected = listEverything(join(record, `${step}`))
  const killed = createFolder()
  copyTree(base, killed)
  await killAtStep(killed, step, command.split(' '))
  expect(listEverything(killed)).toEqual(expected)
}

describe.each(SCENARIOS)('$name, killed at each step', OPTIONS, (scenario) => {
  it('leaves no half of a skill, and is completed by the next commands', async () => {
    const recorded = await recordCommand(await createBase(scenario), scenario)
    // The commands are killed at early and at late steps.
    const share = (SCENARIOS.indexOf(scenario) + 0.5) / SCENARIOS.length
    const killing = compareKilled(scenario, recorded, Math.floor(share * recorded.steps.length))
    const [problems] = await Promise.all([findProblems(scenario, recorded), killing])
    expect(problems).toEqual({})
  })
})

describe.each(SCENARIOS.filter(({ recovery }) => recovery !== undefined))(
  'the recovery from $name, killed at each step',
  OPTIONS,
  ({ recovery: exit = 0, ...scenario }) => {
    it('is completed by the next commands', async () => {
      const first = await recordCommand(await createBase(scenario), scenario)
      const at = first.steps.findIndex((step) => /^step renameSync .*skills\.lock$/.test(step))
      const recovery: Scenario = { name: 'recovery', before: [], command: 'install', exit }
      const recorded = await recordCommand(join(first.record, `${at}`), recovery)
      const { before, after } = first
      expect(await findProblems(recovery, { ...recorded, before, after })).toEqual({})
    })
  },
)
