import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { MALFORMED_CONVERSATIONS } from './malformed-conversations.ts'
import { MALFORMED_SUITES } from './malformed.ts'

const ALL = [...MALFORMED_SUITES, ...MALFORMED_CONVERSATIONS]

describe('skills test', () => {
  it('is tried against 40 malformed files of cases', () => {
    expect(MALFORMED_SUITES.length).toBeGreaterThanOrEqual(40)
    const names = new Set(ALL.map(({ name }) => name))
    expect(names.size).toBe(ALL.length)
  })

  it.each(ALL)(
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
