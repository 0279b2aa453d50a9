import { expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

const LINE = '  4    a consent is missing\n'

it.each(['install', 'update', 'adopt', 'roots fetch', 'roots update'])(
  'the help of skills %s has the exit status of a missing consent',
  async (name) => {
    const { stdout } = await runSkills([...name.split(' '), '--help'], { cwd: createFolder() })
    expect(stdout).toContain(LINE)
  },
)

it('the help of other commands does not have it', async () => {
  const { stdout } = await runSkills(['pack', '--help'], { cwd: createFolder() })
  expect(stdout).toContain('  3    ')
  expect(stdout).not.toContain(LINE)
})
