// @module-tag slow
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills, writeTree } from '../../helpers/skills.ts'

const BROKEN = 'def main(args):\n    return {"greeting": "Hello, " + args["nane"]}\n'
const FIXED = 'def main(args):\n    return {"greeting": "Hello, " + args.get("name", "you")}\n'
const TESTS = `
[[cases]]
name = "answers with a greeting"
args = { nane = "Ada", name = "Ada" }
expect = [{ result = { path = "greeting", equals = "Hello, Ada" } }]

[[cases]]
name = "works without a name"
expect = [{ status = "completed" }]
`
const INPUTS =
  '\n[inputs]\nname = { type = "string", description = "A", required = false }\nnane = { type = "string", description = "B", required = false }\n'

interface Edit {
  path: string
  text: string
}

/** A broken skill, a failed run of it, and a model that proposes edits. */
async function createFailedProject(edits: readonly Edit[]) {
  const home = createFolder()
  const skill = createActionSkill('demo.greet', { toml: INPUTS })
  const tree = { ...skill, 'code/main.py': BROKEN, 'tests/greet.test.toml': TESTS }
  const cwd = createFolder(
    Object.fromEntries(Object.entries(tree).map(([path, text]) => [`skills/greet/${path}`, text])),
  )
  const text = JSON.stringify({ summary: 'Reads the right key', edits })
  const conversations = [{ prompt: 'KeyError', turns: [{ text }] }]
  writeTree(cwd, { 'model.json': '', 'model.yaml': JSON.stringify({ conversations }) })
  const at = { cwd, env: { HOME: home } }
  expect((await runSkills(['exec', 'demo.greet'], at)).code).not.toBe(0)
  return { at, skill: join(cwd, 'skills/greet') }
}

const EVOLVE = ['evolve', 'skills/greet', '--model', 'script:model.yaml', '--json']

async function propose(edits: readonly Edit[]) {
  const { at, skill } = await createFailedProject(edits)
  const ran = await runSkills(EVOLVE, at)
  const id = ran.stdout === '' ? '' : String(ran.json()['id'])
  const apply = async (...more: string[]) => await runSkills(['evolve', 'apply', id, ...more], at)
  const readSkill = (path: string) => readFileSync(join(skill, path), 'utf8')
  return { ran, apply, skill, readSkill, at }
}

const TOML = (more: string) =>
  `${createActionSkill('demo.greet', { toml: INPUTS })['skill.toml'] as string}${more}`
const FIX = { path: 'code/main.py', text: FIXED }

describe('skills evolve', { timeout: 240_000 }, () => {
  it('a fix is compared in a copy, and applied only after a yes', async () => {
    const { ran, apply, readSkill } = await propose([FIX])
    expect(ran.code).toBe(0)
    expect(ran.json()).toMatchObject({
      summary: 'Reads the right key',
      before: { failed: ['greet › works without a name'] },
      after: { failed: [], passed: { length: 2 } },
      regressions: [],
      permissions: [],
    })
    expect(readSkill('code/main.py')).toBe(BROKEN)
    const refused = await apply()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Without a terminal, the change requires --yes')
    expect(refused.stdout).toContain(
      '+    return {"greeting": "Hello, " + args.get("name", "you")}',
    )
    expect(readSkill('code/main.py')).toBe(BROKEN)
    expect((await apply('--yes')).code).toBe(0)
    expect(readSkill('code/main.py')).toBe(FIXED)
  })

  it('a proposal that breaks a test that passed is never applied', async () => {
    const { ran, apply, readSkill } = await propose([
      { path: 'code/main.py', text: 'def main(args):\n    return {"greeting": "Hi"}\n' },
    ])
    expect(ran.code).toBe(1)
    const applied = await apply('--yes', '--allow-permissions')
    expect(applied.code).toBe(1)
    expect(applied.stderr).toContain('"greet › answers with a greeting" does not pass any more')
    expect(readSkill('code/main.py')).toBe(BROKEN)
  })

  it('a skill that changed since is not overwritten', async () => {
    const { apply, skill, readSkill } = await propose([FIX])
    writeTree(skill, { 'code/other.py': '' })
    const applied = await apply('--yes')
    expect(applied.code).toBe(3)
    expect(applied.stderr).toContain('The skill has changed since the proposal was made')
    expect(readSkill('code/main.py')).toBe(BROKEN)
  })

  it('wider permissions are shown separately, and need their own yes', async () => {
    const network = '\n[permissions]\nnetwork = ["https://attacker.example"]\n'
    const { ran, apply, readSkill } = await propose([
      FIX,
      { path: 'skill.toml', text: TOML(network) },
    ])
    expect(ran.json()['permissions']).toEqual([
      'skill.toml permissions: absent → {"network":["https://attacker.example"]}',
    ])
    const refused = await apply('--yes')
    expect(refused.stdout).toContain('It changes what runs of the skill may do')
    expect(refused.stderr).toContain('requires --allow-permissions')
    expect(readSkill('code/main.py')).toBe(BROKEN)
    expect((await apply('--yes', '--allow-permissions')).code).toBe(0)
    expect(readSkill('skill.toml')).toContain('attacker.example')
  })

  it.each<[string, Edit]>([
    ['leaves the skill', { path: '../escaped.txt', text: 'x' }],
    ['leaves the skill', { path: '/tmp/escaped.txt', text: 'x' }],
    ['leaves the skill', { path: 'code/../../escaped.txt', text: 'x' }],
    ['is read-only for a proposal', { path: 'tests/greet.test.toml', text: '' }],
    ['is read-only for a proposal', { path: 'Tests/greet.test.toml', text: '' }],
    ['is read-only for a proposal', { path: 'evals/evals.json', text: '{}' }],
    ['is read-only for a proposal', { path: '.git/hooks/post-commit', text: '' }],
    ['would be another skill', { path: 'more/skill.toml', text: '' }],
    ['is not a valid path', { path: 'a\nb', text: '' }],
  ])('an edit that %s is refused: %o', async (reason, edit) => {
    const { ran, at } = await propose([FIX, edit])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(reason)
    expect(existsSync(join(at.cwd, 'skills/escaped.txt'))).toBe(false)
    expect(existsSync(join(at.cwd, 'escaped.txt'))).toBe(false)
  })

  it('an edit through a link is refused', async () => {
    const outside = createFolder({ 'file.txt': 'untouched' })
    const { at, skill } = await createFailedProject([FIX, { path: 'data/file.txt', text: 'x' }])
    symlinkSync(outside, join(skill, 'data'))
    const ran = await runSkills(EVOLVE, at)
    expect(ran.stderr).toContain('is a link, or not a file')
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('untouched')
    // Control: without the check, the write of such a path reaches files outside of the skill.
    writeFileSync(join(skill, 'data/file.txt'), 'x')
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('x')
    writeFileSync(join(skill, '../escaped.txt'), 'x')
    expect(existsSync(join(at.cwd, 'skills/escaped.txt'))).toBe(true)
  })

  it('instructions in the output of a run apply nothing', async () => {
    const { ran, apply, readSkill } = await propose([
      { path: 'SKILL.md', text: readFileSync('skills/greet/SKILL.md', 'utf8') },
    ])
    expect(ran.json()).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{12}$/) as string })
    // Anything but an explicit yes leaves the skill as it is, also an answer of the model.
    expect((await apply()).code).toBe(1)
    expect(readSkill('SKILL.md')).toContain('Says *hello*')
  })

  it('a skill without recorded failures gets no proposal', async () => {
    const { at } = await createFailedProject([FIX])
    const ran = await runSkills(EVOLVE, { ...at, env: { HOME: createFolder() } })
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('No failed run of demo.greet is recorded')
  })

  it('an id that is not one of a proposal reads no file', async () => {
    const ran = await runSkills(['evolve', 'apply', '../../../etc'], {})
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('does not exist')
  })
})
