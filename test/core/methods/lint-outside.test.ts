// @module-tag slow
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runSkills } from '../../helpers/skills.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer } from '../../helpers/server.ts'

/** A skill that refers to files outside of its folder, which exist if the word is "here". */
const createProbe = (word: string) => ({
  ...createActionSkill(`demo.${word}`),
  'SKILL.md': `---\nname: demo.${word}\ndescription: Greets people.\n---\n# Greet\n
See [it](../../private/${word}.md), [far](../../../../../../../../etc/${word}), and run \`scripts/${word}.py\`.\n`,
  'tests/greet.test.toml': `[[cases]]
name = "a"
args = { name = "Ada" }
files = { "in.txt" = { from = "tests/out/${word}.md" } }
expect = [{ status = "completed" }]
`,
})

const OUTSIDE = {
  'private/here.md': 'x',
  'private/agents/here/openai.yaml': 'a: [1',
  'private/b.stdin': 'x',
  'private/empty/keep': '',
  'scripts/here.py': 'x',
}

/** Adds links out of the skill, by every way in which a link can lead there. */
function addLinks(skill: string, word: string): void {
  const add = (target: string, path: string) => symlinkSync(target, join(skill, path))
  mkdirSync(join(skill, 'links/real'), { recursive: true })
  add('../../../private', 'tests/out')
  add(`../../../private/agents/${word}`, 'agents')
  add(`../../../private/${word}.md`, 'links/direct')
  add(`direct`, 'links/chain')
  add('../../../private', 'links/folder')
  add(`folder/${word}.md`, 'links/through')
  add(`folder/../private/${word}.md`, 'links/back')
  // The inputs of the suite "greet": the folder of one skill has a file with the name of an input.
  add(word === 'here' ? '../../../private' : '../../../private/empty', 'tests/greet')
}

describe('lint over the server', () => {
  it('tells no caller which files exist outside of a skill', async () => {
    const server = await startTestServer({
      tree: {
        ...OUTSIDE,
        ...prefixPaths('skills/here', createProbe('here')),
        ...prefixPaths('skills/gone', createProbe('gone')),
      },
    })
    addLinks(join(server.dir, 'skills/here'), 'here')
    addLinks(join(server.dir, 'skills/gone'), 'gone')
    const lint = async (word: string) => {
      const found = await server.result('lint_skill', { name: `demo.${word}` })
      return JSON.parse(JSON.stringify(found).replaceAll(word, 'WORD')) as {
        findings: { rule: string; file: string; message: string }[]
      }
    }
    const [here, gone] = [await lint('here'), await lint('gone')]
    expect(here).toEqual(gone)
    const { findings } = here
    for (const [rule, file] of [
      ['docs/escaping-link', 'SKILL.md'],
      ['docs/missing-reference', 'SKILL.md'],
      ['tests/invalid-suite', 'tests/greet.test.toml'],
      ['files/symlink-outside', 'links/direct'],
      ['files/symlink-outside', 'links/chain'],
      ['files/symlink-outside', 'links/through'],
      ['files/symlink-outside', 'links/back'],
      ['files/symlink-outside', 'agents'],
    ]) {
      expect(findings).toContainEqual(expect.objectContaining({ rule, file }))
    }
    // Control: lint on the machine of the files says whether the target of a link exists.
    const { stdout } = await runSkills(['lint', 'skills', '--json'], { cwd: server.dir })
    const printed = (JSON.parse(stdout) as { findings: { message: string }[] }).findings
    const messages = printed
      .map(({ message }) => message)
      .filter((each) => each.includes('private/'))
    expect(messages).toEqual([
      'The link "../../private/gone.md" points outside of the skill, to no file',
      'The link "../../private/here.md" points outside of the skill',
    ])
  })
})
