import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { locateInstall } from '../../../src/core/installing/install-places.ts'
import type { LockedSkill } from '../../../src/core/installing/lock-file.ts'
import { listOwnSkills } from '../../../src/core/installing/own-skills.ts'
import { createFolder, type Tree } from '../../helpers/skills.ts'

const LOCKED = [{ name: 'demo.greet', folder: 'greet' }] as LockedSkill[]
const markdown = (name: string) => `---\nname: ${name}\ndescription: Says hello\n---\n`

function list(tree: Tree) {
  const base = createFolder(tree)
  return listOwnSkills(locateInstall(base), LOCKED)
}

it('skills and files that the lock does not have are own', () => {
  const base = createFolder({
    '.agents/skills/greet/SKILL.md': markdown('greet'),
    '.agents/skills/report/SKILL.md': markdown('report'),
    '.agents/skills/README.md': '',
    'skills/notes/SKILL.md': markdown('notes'),
  })
  symlinkSync('../../skills/notes', join(base, '.agents/skills/notes'))
  expect(listOwnSkills(locateInstall(base), LOCKED)).toEqual({
    own: ['README.md', 'notes', 'report'],
    shadowing: [],
  })
})

it.each([
  ['in SKILL.md', { '.agents/skills/other/SKILL.md': markdown('greet') }, 'other'],
  ['in another case', { '.agents/skills/other/SKILL.md': markdown('GREET') }, 'other'],
  ['in skill.toml', { '.agents/skills/x/skill.toml': 'name = "demo.greet"' }, 'x'],
  ['as the name of its folder', { '.agents/skills/Greet/notes.txt': '' }, 'Greet'],
])('a folder with the name of an installed skill %s shadows it', (_, tree, folder) => {
  expect(list(tree)).toEqual({ own: [], shadowing: [folder] })
})

it('a folder that cannot be a skill is own', () => {
  const base = createFolder({ '.agents/skills/broken/SKILL.md': '---\nname: [\n---\n' })
  mkdirSync(join(base, '.agents/skills/odd/SKILL.md'), { recursive: true })
  symlinkSync('nowhere', join(base, '.agents/skills/dangling'))
  expect(listOwnSkills(locateInstall(base), LOCKED)).toEqual({
    own: ['broken', 'dangling', 'odd'],
    shadowing: [],
  })
})
