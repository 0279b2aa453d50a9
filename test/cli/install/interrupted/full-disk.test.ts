// @module-tag slow
import { expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { copyTree, watchDisk, type DiskStep } from './disk-steps.ts'
import { runAt } from './interruption.ts'
import { completeCommand, findRecoveryProblems } from './recover.ts'
import { createBase, SCENARIOS, type Scenario } from './scenarios.ts'
import { selectSteps } from './select-steps.ts'

/** Calls `before` before each step that needs space, while a command runs. */
async function watchWrites(
  folder: string,
  { command }: Scenario,
  before: (step: DiskStep) => void,
): Promise<string> {
  const restore = watchDisk({
    folders: [folder],
    before(step) {
      if (step.needsSpace) before(step)
    },
  })
  try {
    const { code, stdout, stderr } = await runAt(folder, ...command.split(' '))
    return `${code} ${stdout} ${stderr}`
  } finally {
    restore()
  }
}

/** Runs a command while everything that needs space fails, from the given write on. */
async function runWithFullDisk(folder: string, scenario: Scenario, from: number): Promise<string> {
  let count = 0
  return await watchWrites(folder, scenario, ({ call, path }) => {
    count += 1
    if (count <= from) return
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${call} '${path}'`), {
      code: 'ENOSPC',
    })
  })
}

it(
  'a command fails with a sentence on a full disk, and leaves no half of a skill',
  { timeout: 600_000 },
  async () => {
    const bases = new Map<Scenario, string>()
    const writes = new Map<Scenario, string[]>()
    for (const scenario of SCENARIOS) {
      bases.set(scenario, await createBase(scenario))
      const [at, found] = [createFolder(), [] as string[]]
      copyTree(bases.get(scenario) ?? '', at)
      await watchWrites(at, scenario, ({ call, path }) => {
        found.push(`${call} ${path.slice(at.length)}`)
      })
      writes.set(scenario, found)
    }
    const problems: string[] = []
    for (const [scenario, selected] of selectSteps(writes)) {
      const base = bases.get(scenario) ?? ''
      const completed = await completeCommand(base, scenario)
      for (const [from, step] of selected) {
        const at = createFolder()
        copyTree(base, at)
        const text = await runWithFullDisk(at, scenario, from)
        const found = await findRecoveryProblems(at, scenario, completed)
        if (!/^3 [^]*Cannot write: the disk is full/.test(text)) found.push(text)
        problems.push(...found.map((each) => `${scenario.name}, ${from} ${step}: ${each}`))
      }
      console.log(`${scenario.name}: ${selected.length} of ${writes.get(scenario)?.length} writes`)
    }
    expect(problems).toEqual([])
  },
)
