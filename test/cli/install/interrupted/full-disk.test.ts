// @module-tag slow
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { copyTree, watchDisk } from './disk-steps.ts'
import { runAt } from './interruption.ts'
import { completeCommand, findRecoveryProblems } from './recover.ts'
import { createBase, SCENARIOS } from './scenarios.ts'

/** Runs while everything that needs space fails, from the given call on; false if none failed. */
async function withFullDisk(folder: string, from: number, run: () => Promise<void>) {
  let count = 0
  const restore = watchDisk({
    folders: [folder],
    before({ call, path, needsSpace }) {
      if (!needsSpace) return
      count += 1
      if (count <= from) return
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${call} '${path}'`), {
        code: 'ENOSPC',
      })
    },
  })
  try {
    await run()
  } finally {
    restore()
  }
  return count > from
}

describe.each(SCENARIOS)('$name on a disk that is full', { timeout: 600_000 }, (scenario) => {
  it('fails with a sentence at each write, and leaves no half of a skill', async () => {
    const base = await createBase(scenario)
    const completed = await completeCommand(base, scenario)
    const problems: Record<string, unknown> = {}
    let from = 0
    for (let isFull = true; isFull; from++) {
      const at = createFolder()
      copyTree(base, at)
      let text = ''
      isFull = await withFullDisk(at, from, async () => {
        const { code, stdout, stderr } = await runAt(at, ...scenario.command.split(' '))
        text = `${code} ${stdout} ${stderr}`
      })
      const found = await findRecoveryProblems(at, scenario, completed)
      if (isFull && !/^3 [^]*Cannot write: the disk is full/.test(text)) found.push(text)
      if (found.length > 0) problems[from] = found
    }
    console.log(`${scenario.name}: ${from - 1} writes`)
    expect(problems).toEqual({})
  })
})
