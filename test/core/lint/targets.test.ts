import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createExampleMarkdown } from '../../../src/core/lint/example-skill.ts'
import { findTargets } from '../../../src/core/lint/targets.ts'
import { lintFolder } from '../../helpers/rule-examples.ts'
import { createFolder } from '../../helpers/skills.ts'

const createSkill = (name: string) =>
  createExampleMarkdown(`name: ${name}\ndescription: Greets ${name} by name.\n`)

describe('findTargets()', () => {
  it('finds skills in the folders of hosts, and none in those of git and of packages', () => {
    const shown = ['.agents', '.claude', '.codex', '.curated', '.github', '.system', 'skills']
    const hidden = ['.git', '.venv', 'node_modules', '__pycache__', '.cache']
    const files = [...shown, ...hidden].map((folder) => [`${folder}/a/SKILL.md`, createSkill('a')])
    const root = createFolder(Object.fromEntries(files) as Record<string, string>)
    expect(findTargets(root, ['.'])).toEqual(shown.map((folder) => join(root, folder, 'a')))
  })

  it('finds a skill inside another one, outside of the working directory', () => {
    const outside = createFolder({ 'a/skill.toml': '', 'a/resources/b/skill.toml': '' })
    const both = [join(outside, 'a'), join(outside, 'a/resources/b')]
    expect(findTargets(createFolder(), [outside])).toEqual(both)
  })

  it('maps a file to the innermost skill around it', () => {
    const root = createFolder({
      'a/SKILL.md': createSkill('a'),
      'a/b/SKILL.md': createSkill('b'),
      'a/b/references/x/notes.md': 'Notes\n',
      'a/references/notes.md': 'Notes\n',
    })
    expect(findTargets(root, ['a/b/references/x/notes.md'])).toEqual([join(root, 'a/b')])
    expect(findTargets(root, ['a/references/notes.md'])).toEqual([join(root, 'a')])
  })
})

describe('lint of nested skills', () => {
  it('reports a fault of a nested skill once, as its own', async () => {
    const root = createFolder({
      'a/SKILL.md': `${createSkill('a')}\nSee [b](b/SKILL.md).\n`,
      'a/b/SKILL.md': createSkill('b').replace('Greets b', 'Gre\u200Bets b'),
    })
    const { findings, skills } = await lintFolder(root)
    expect(skills).toBe(2)
    const hidden = findings.filter(({ rule }) => rule === 'hygiene/hidden-character')
    expect(hidden.map(({ skill, file }) => ({ skill, file }))).toEqual([
      { skill: join(root, 'a/b'), file: 'SKILL.md' },
    ])
    expect(findings.filter(({ rule }) => rule === 'docs/broken-link')).toEqual([])
  })
})
