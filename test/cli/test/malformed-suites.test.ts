import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { MALFORMED_SUITES } from './malformed.ts'

describe('skills test', () => {
  it('is tried against 40 malformed files of cases', () => {
    expect(MALFORMED_SUITES.length).toBeGreaterThanOrEqual(40)
    const names = new Set(MALFORMED_SUITES.map(({ name }) => name))
    expect(names.size).toBe(MALFORMED_SUITES.length)
  })

  it.each(MALFORMED_SUITES)(
    'refuses $name with its position, and runs nothing',
    async ({ at, message, text, format = 'toml' }) => {
      const file = `tests/demo.test.${format}`
      const cwd = createFolder({ ...createActionSkill('demo.echo'), [file]: text })
      const { code, stdout, stderr } = await runSkills(['test'], { cwd })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`error ${file}:${at}: ${message}`)
    },
  )
})
