// @module-tag slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL, extendExampleBody } from '../../src/core/lint/example-skill.ts'
import { prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

/** A packed skill, and its folder with further instructions. */
async function createPacked(): Promise<string> {
  const cwd = createFolder(prefixPaths('skills/greet', EXAMPLE_SKILL))
  const packed = await runSkills(['pack', './skills/greet', '--out', 'packed'], { cwd })
  expect([packed.code, packed.code === 0 ? '' : packed.stderr]).toEqual([0, ''])
  return cwd
}

describe('skills diff of an archive', () => {
  it('compares its files with a folder and with another archive', async () => {
    const cwd = await createPacked()
    const archive = 'packed/greet-0.1.0.tar.gz'
    const same = { code: 0, stdout: 'The skills are the same\n' }
    expect(await runSkills(['diff', archive, 'skills/greet'], { cwd })).toMatchObject(same)
    expect(await runSkills(['diff', archive, archive], { cwd })).toMatchObject(same)
    writeFileSync(join(cwd, 'skills/greet/SKILL.md'), extendExampleBody('More.\n'))
    const { code, stdout } = await runSkills(['diff', archive, 'skills/greet'], { cwd })
    expect(code).toBe(10)
    expect(stdout).toContain('More.')
  })

  it.each([
    [['packed/greet-0.1.0.tar.gz'], 'Expected a skill to compare'],
    [['packed/other.tar.gz', 'skills/greet'], 'There is no archive "packed/other.tar.gz"'],
    [['cut.zip', 'skills/greet'], 'The archive is refused'],
  ])('%j is refused', async (args, message) => {
    const cwd = await createPacked()
    writeFileSync(join(cwd, 'cut.zip'), 'PK, but nothing else')
    const { code, stderr } = await runSkills(['diff', ...args], { cwd })
    expect([code > 1, stderr]).toEqual([true, expect.stringContaining(message)])
  })
})
