import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'smol-toml'
import { TEMPLATES } from '../../../src/core/skills/scaffold/templates.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { splitCommand } from '../../helpers/split-command.ts'

describe('skills new', () => {
  it.each(TEMPLATES.map((each) => each.id))(
    'writes the template %s as a complete skill',
    async (id) => {
      const cwd = createFolder()
      const { code, stdout } = await runSkills(
        ['new', 'team.my_skill', '--template', id, '--description', 'Says "hi": \\o/ #1', '-y'],
        { cwd },
      )
      expect(code).toBe(0)
      expect(stdout).toContain('skills lint skills/my-skill')
      const toml = readFileSync(join(cwd, 'skills/my-skill/skill.toml'), 'utf8')
      expect(toml).toMatch(/^#:schema \.\/skill\.schema\.json\n/)
      expect(parse(toml)).toMatchObject({
        name: 'team.my_skill',
        description: 'Says "hi": \\o/ #1',
      })
      const { json } = await runSkills(['describe', 'team.my_skill', '--json', '--full'], { cwd })
      expect(json()).toMatchObject({
        skill: {
          name: 'team.my_skill',
          namespace: 'team',
          unknown_keys: [],
          skill_md_frontmatter: { name: 'my-skill', description: 'Says "hi": \\o/ #1' },
        },
      })
      expect(readdirSync(join(cwd, 'skills'))).toEqual(['my-skill'])
    },
  )

  it.each([
    [['new'], 'Missing the name'],
    [['new', 'a.b'], 'Missing --kind'],
    [['new', 'a.b', '--kind', 'action'], 'Missing --description'],
    [['new', 'a.b', '-y', '--kind', 'instruction', '--language', 'python'], 'No template matches'],
    [['new', 'A.b', '-y'], 'contains "A"'],
    [['new', 'a..b', '-y'], 'empty part'],
    [['new', '../x', '-y'], '"../x" is a path; expected a name'],
    [['new', 'a.-', '-y'], 'without a letter or digit'],
    [['new', 'skills.protocol.guide', '-y'], 'reserved'],
    [['new', 'a.b', '-y', '--description', 'two\nlines'], 'control character'],
    [['new', 'a.class', '-y'], '"class" is a Python keyword'],
    [['new', '1.b', '-y', '--template', 'python-blobs'], '"1" begins with a digit'],
  ])('rejects %j and writes nothing', async (argv, message) => {
    const cwd = createFolder()
    const { code, stderr } = await runSkills(argv, { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each(['demo.true', 'docs.2', 'docs.1e5', 'import.no', 'a--b', '_a'])(
    'quotes the name %s so that lint and other YAML readers parse it as text',
    async (name) => {
      const cwd = createFolder()
      expect((await runSkills(['new', name, '-y', '--kind', 'instruction'], { cwd })).code).toBe(0)
      const { code, stdout } = await runSkills(['lint'], { cwd })
      expect(stdout).not.toMatch(/ (?:error|warning) {2}|agent-name/)
      expect(code).toBe(0)
    },
  )

  it.each([
    ['a file', 'taken', 'Cannot create the folder'],
    ['a file in a file', 'taken/x', 'Cannot create the folder'],
    ['a folder in which nobody makes files', '/proc', 'Cannot write in the folder "/proc"'],
  ])('explains why it cannot write into %s', async (_, dir, message) => {
    const cwd = createFolder({ taken: 'mine' })
    const { code, stderr } = await runSkills(['new', 'demo.greet', '-y', '--dir', dir], { cwd })
    expect(code).toBe(3)
    expect(stderr).toContain(message)
    expect(stderr).toContain('writable parent folder with --dir')
  })

  it.each(['skills/greet/keep.txt', 'skills/greet'])('never overwrites %s', async (path) => {
    const cwd = createFolder({ [path]: 'mine' })
    const { code, stderr } = await runSkills(['new', 'demo.greet', '-y'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toContain('already exists')
    expect(readFileSync(join(cwd, path), 'utf8')).toBe('mine')
  })

  it('uses the whole name for the folder if another skill has the last part', async () => {
    const cwd = createFolder()
    const description = 'Adds up the numbers of a list. Use it when a sum is asked for.'
    for (const name of ['a.sum', 'b.sum']) {
      const argv = ['new', name, '-y', '--description', description]
      expect((await runSkills(argv, { cwd })).code).toBe(0)
    }
    expect(readdirSync(join(cwd, 'skills')).toSorted()).toEqual(['b-sum', 'sum'])
    const { json } = await runSkills(['lint', '--json'], { cwd })
    expect(json()).toMatchObject({ findings: [], summary: { skills: 2 } })
  })

  it.each([
    ['a skill of the same name', { skills: ['demo.greet'] }, ['describe', 'new']],
    ['a file', { tree: { 'skills/greet': 'mine' } }, ['new']],
    ['a folder', { tree: { 'skills/greet/notes.txt': 'mine' } }, ['new']],
    [
      'a folder in the suggested place too',
      { tree: { 'skills/greet/notes.txt': 'mine', 'skills/demo/greet/notes.txt': 'mine' } },
      ['new'],
    ],
    ['two other skills', { skills: ['a.greet', 'demo-greet'], name: 'demo.greet' }, ['new']],
  ] as const)('names a command that works if the folder has %s', async (_title, before, verbs) => {
    const given: { skills?: readonly string[]; tree?: Record<string, string> } = before
    const cwd = createFolder(given.tree ?? {})
    for (const name of given.skills ?? []) await runSkills(['new', name, '-y'], { cwd })
    const argv = ['new', 'demo.greet', '-y', '--description', "Greets Ada's friends by name."]
    const { code, stderr } = await runSkills(argv, { cwd })
    expect(code).toBe(3)
    const commands = [...stderr.matchAll(/"skills ([^"]+)"/g)].map(([, line = '']) => line)
    expect(commands.map((line) => line.split(' ')[0])).toEqual(verbs)
    for (const line of commands) {
      expect(await runSkills(splitCommand(line), { cwd }), line).toMatchObject({ code: 0 })
    }
  })

  it('leaves no files when interrupted while writing', async () => {
    const cwd = createFolder()
    const interrupted = new AbortController()
    interrupted.abort()
    const { code } = await runSkills(['new', 'demo.greet', '-y'], {
      cwd,
      signal: interrupted.signal,
    })
    expect(code).toBe(130)
    expect(existsSync(join(cwd, 'skills'))).toBe(false)
  })

  it('suggests the next commands for another folder', async () => {
    const { json } = await runSkills(['new', 'demo.greet', '-y', '--dir', 'lab', '--json'])
    expect(json()).toMatchObject({
      schema: 'skills.new/v1',
      next: [
        'skills lint lab/greet',
        'skills test lab/greet',
        'skills exec demo.greet --arg name=World --root lab',
      ],
    })
  })
})
