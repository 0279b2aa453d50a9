// @module-tag slow
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { copyTree, watchDisk } from './disk-steps.ts'
import { findHalfInstalled, runAt } from './interruption.ts'
import { completeCommand, findRecoveryProblems } from './recover.ts'
import { createBase, SCENARIOS, type Scenario } from './scenarios.ts'

const [INSTALL] = SCENARIOS as readonly [Scenario]
const INSTALLED = 'project/.agents/skills/greet'

it('a skill without one of its files, and a changed one, are half installed', async () => {
  const completed = await completeCommand(await createBase(INSTALL), INSTALL)
  const states = [completed.before, completed.after]
  for (const plant of [
    (at: string) => rmSync(join(at, INSTALLED, 'references'), { recursive: true }),
    (at: string) => writeFileSync(join(at, INSTALLED, 'references/words.md'), 'Hel'),
  ]) {
    const at = createFolder()
    copyTree(completed.base, at)
    await runAt(at, ...INSTALL.command.split(' '))
    expect(await findHalfInstalled(at, states)).toEqual([])
    plant(at)
    expect(await findHalfInstalled(at, states)).toHaveLength(1)
  }
})

it('files that a killed process left are a problem', async () => {
  const completed = await completeCommand(await createBase(INSTALL), INSTALL)
  const { base } = completed
  await runAt(base, 'verify')
  writeFileSync(join(base, 'project/draft'), '')
  await runAt(base, ...INSTALL.command.split(' '))
  writeFileSync(join(base, 'project/.agents/.skills-install/draft'), '')
  const problems = await findRecoveryProblems(base, INSTALL, completed)
  expect(problems).toEqual(['extra project/draft 644 ', 'leftover draft'])
})

it('an installation that copies files to their place is half installed at some step', async () => {
  const completed = await completeCommand(await createBase(INSTALL), INSTALL)
  let [steps, half] = [0, 0]
  for (let last = 0; ; last++) {
    const at = createFolder()
    copyTree(completed.base, at)
    steps = 0
    const restore = watchDisk({
      folders: [at],
      before() {
        steps += 1
        if (steps > last) throw new Error('killed')
      },
    })
    try {
      cpSync(join(at, 'source/greet'), join(at, INSTALLED), { recursive: true })
    } catch {
      // As a killed process, it changes nothing more.
    } finally {
      restore()
    }
    const found = await findHalfInstalled(at, [completed.before, completed.after])
    half += found.length
    if (steps <= last) break
  }
  expect([steps, half]).toEqual([8, 7])
})
