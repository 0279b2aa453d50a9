import { describe, expect, it } from 'vitest'
import { createSearchPath } from '../helpers/machine.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const NON_ASCII = /[^\n -~]/
const LOCALES = [{ LANG: 'C' }, { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, { LANG: 'en_US' }]

describe.each(LOCALES)('with the locale %j', (locale) => {
  it('errors have ASCII symbols', async () => {
    const { stderr } = await runSkills(['lst'], { env: locale })
    expect(stderr).toContain('  -> Did you mean "skills list"?')
  })
})

describe('a terminal with the locale C', () => {
  it.each([['describe demo.greet'], ['lint'], ['tokens'], ['doctor'], ['config'], ['lst']])(
    'shows %s in ASCII, on 40 columns',
    async (command) => {
      const skill = {
        ...createActionSkill('demo.greet'),
        'SKILL.md': '---\nname: greet\ndescription: x\n---\n\n> quote\n\n- one\n\n---\n',
      }
      const cwd = createFolder(prefixPaths('skills/greet', skill))
      const env = { PATH: createSearchPath(), LANG: 'C', NO_COLOR: '1', TERM: 'dumb' }
      const at = { cwd, env, tty: true, columns: 40 }
      const { stdout, stderr } = await runSkills(command.split(' '), at)
      expect(stdout + stderr).not.toBe('')
      expect(stdout).not.toMatch(NON_ASCII)
      expect(stderr).not.toMatch(NON_ASCII)
    },
  )
})

describe('results in a pipe', () => {
  it('are unchanged with the locale C', async () => {
    const code = 'def main(args): return "a → b …"'
    const ran = await runSkills(['run-code', '--code', code], { env: { LANG: 'C' } })
    expect(ran.json()).toBe('a → b …')
  })

  it('errors keep their symbols with UTF-8 and without a locale', async () => {
    const locales: Record<string, string>[] = [{}, { LANG: 'C.UTF-8' }, { LC_ALL: 'de_DE.utf8' }]
    for (const env of locales) {
      expect((await runSkills(['lst'], { env })).stderr).toContain('→')
    }
  })
})
