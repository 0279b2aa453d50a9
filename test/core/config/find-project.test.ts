import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProject } from '../../../src/core/config/project/find-project.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'

const SKILL = { 'skills/greet/SKILL.md': '---\nname: greet\n---\n' }

describe('findProject()', () => {
  it('prefers the nearest folder with a configuration over any nearer marker', () => {
    const root = createFolder({
      'skills.config.toml': '',
      'a/skills/x/SKILL.md': '',
      'a/b/c.txt': '',
    })
    const file = join(root, 'skills.config.toml')
    expect(findProject(join(root, 'a/b'), '/nobody')).toEqual({ dir: root, file })
  })

  it.each([
    ['a skills folder that holds a skill', SKILL],
    ['a skills folder that holds one further down', { 'skills/team/greet/skill.toml': '' }],
    ['a folder .git', { '.git/HEAD': '' }],
    ['a file .git, as in a work tree', { '.git': 'gitdir: elsewhere' }],
  ])('finds %s', (_, tree) => {
    const root = createFolder({ ...tree, 'src/deep/x.txt': '' })
    expect(findProject(join(root, 'src/deep'), '/nobody').dir).toBe(root)
    expect(findProject(join(root, 'skills'), '/nobody').dir).toBe(root)
  })

  it('ignores a skills folder without skills, such as a Python package of that name', () => {
    const root = createFolder({ '.git/HEAD': '', 'src/skills/__init__.py': '' })
    expect(findProject(join(root, 'src'), '/nobody').dir).toBe(root)
  })

  it('returns the folder itself without a marker', () => {
    const root = createFolder({ 'a/x.txt': '' })
    expect(findProject(join(root, 'a'), '/nobody')).toEqual({
      dir: join(root, 'a'),
      file: undefined,
    })
  })

  it('returns the home folder only from inside it', () => {
    const home = createFolder({ ...SKILL, 'work/x.txt': '' })
    expect(findProject(join(home, 'work'), home).dir).toBe(join(home, 'work'))
    expect(findProject(home, home).dir).toBe(home)
  })

  it('ignores shared folders that others can write to', () => {
    const root = createFolder()
    const shared = join(root, 'shared')
    mkdirSync(shared)
    writeTree(shared, { 'skills.config.toml': '', ...SKILL, 'mine/x.txt': '' })
    expect(findProject(join(shared, 'mine'), '/nobody').dir).toBe(shared)
    chmodSync(shared, 0o1777)
    expect(findProject(join(shared, 'mine'), '/nobody').dir).toBe(join(shared, 'mine'))
    expect(findProject(shared, '/nobody').file).toBe(join(shared, 'skills.config.toml'))
  })
})
