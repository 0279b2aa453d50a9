// @module-tag slow
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { copyTree } from './disk-steps.ts'
import { killAtStep, listEverything } from './interruption.ts'
import { findRecoveryProblems, recordCommand, type RecordedCommand } from './recover.ts'
import { createBase, SCENARIOS, type Scenario } from './scenarios.ts'
import { selectSteps } from './select-steps.ts'

const OPTIONS = { timeout: 600_000 }
type Recorded = ReadonlyMap<Scenario, RecordedCommand>

async function recordCommands(scenarios: readonly Scenario[]): Promise<Recorded> {
  const recorded = new Map<Scenario, RecordedCommand>()
  for (const scenario of scenarios)
    recorded.set(scenario, await recordCommand(await createBase(scenario), scenario))
  return recorded
}

/** Problems after a kill at each of the selected steps. */
async function findProblems(commands: Recorded): Promise<string[]> {
  const problems: string[] = []
  const steps = new Map([...commands].map(([scenario, command]) => [scenario, command.steps]))
  for (const [scenario, selected] of selectSteps(steps)) {
    const command = commands.get(scenario) as RecordedCommand
    for (const [at, step] of selected) {
      const found = await findRecoveryProblems(join(command.record, `${at}`), scenario, command)
      problems.push(...found.map((each) => `${scenario.name}, ${at} ${step}: ${each}`))
    }
    console.log(`${scenario.name}: killed at ${selected.length} of ${command.steps.length} steps`)
  }
  return problems
}

/** A process that is really killed at a step leaves the disk that was recorded before this step. */
async function compareKilled(
  { command }: Scenario,
  { base, record }: RecordedCommand,
  step: number,
): Promise<void> {
  const killed = createFolder()
  copyTree(base, killed)
  await killAtStep(killed, step, command.split(' '))
  expect(listEverything(killed)).toEqual(listEverything(join(record, `${step}`)))
}

it(
  'a command that is killed leaves no half of a skill, and is completed by the next commands',
  OPTIONS,
  async () => {
    const commands = await recordCommands(SCENARIOS)
    for (const [at, [scenario, command]] of [...commands].entries()) {
      // The commands are killed at early and at late steps.
      const share = (at + 0.5) / SCENARIOS.length
      await compareKilled(scenario, command, Math.floor(share * command.steps.length))
    }
    expect(await findProblems(commands)).toEqual([])
  },
)

it('a recovery that is killed is completed by the next commands', OPTIONS, async () => {
  const recoveries = new Map<Scenario, RecordedCommand>()
  const interrupted = await recordCommands(SCENARIOS.filter((each) => each.recovery !== undefined))
  for (const [{ name, recovery: exit = 0 }, first] of interrupted) {
    const { record, steps, before, after } = first
    const at = steps.findIndex((step) => /^step renameSync .*skills\.lock$/.test(step))
    const recovery = { name: `the recovery from ${name}`, before: [], command: 'install', exit }
    const recorded = await recordCommand(join(record, `${at}`), recovery)
    recoveries.set(recovery, { ...recorded, before, after })
  }
  expect(await findProblems(recoveries)).toEqual([])
})
