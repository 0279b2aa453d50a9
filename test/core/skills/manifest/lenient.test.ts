import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import { readMarkdown } from '../../../../src/core/skills/manifest/markdown-source.ts'
import { createFolder, runSkills, writeTree } from '../../../helpers/skills.ts'

const BODY = '\n# Reports\n\nWrites reports.\n'

async function listSkills(tree: Record<string, string>) {
  const dir = createFolder()
  writeTree(dir, tree)
  const flags = { roots: [`${dir}/skills`] }
  const { config } = await loadConfig({ cwd: dir, env: { HOME: dir }, flags, noFiles: true })
  const runtime = createRuntime({ config, cacheDir: null })
  const entries = await runtime.repository.list()
  const own = entries.filter(({ root }) => root.startsWith(dir))
  return { dir, names: own.map(({ name, description }) => `${name}: ${description}`), runtime }
}

describe('front matter that other clients read', () => {
  it.each([
    {
      of: 'an unquoted colon',
      text: 'name: pdf-tools\ndescription: Use when: a PDF is given. Note: not for images.',
      expected: 'pdf-tools: Use when: a PDF is given. Note: not for images.',
      rule: 'docs/front-matter-syntax',
    },
    {
      of: 'capitals and spaces in the name',
      text: 'name: PDF Tools\ndescription: Reads them.',
      expected: 'pdf-tools: Reads them.',
      rule: 'schema/agent-skill-name',
    },
    {
      of: 'capitals in the keys',
      text: 'Name: pdf-tools\nDescription: Reads them.',
      expected: 'pdf-tools: Reads them.',
      rule: 'portability/front-matter-key',
    },
    {
      of: 'no name',
      text: 'description: Reads them.',
      expected: 'pdf-tools: Reads them.',
      rule: 'schema/agent-skill-name',
    },
  ])('is read with $of, and lint warns', async ({ text, expected, rule }) => {
    const { dir, names } = await listSkills({
      'skills/pdf-tools/SKILL.md': `---\n${text}\n---\n${BODY}`,
    })
    expect(names).toEqual([expected])
    const { stdout } = await runSkills(['lint', 'skills', '--json'], { cwd: dir })
    const findings = (JSON.parse(stdout) as { findings: { rule: string; severity: string }[] })
      .findings
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(findings).toContainEqual(expect.objectContaining({ rule, severity: 'warning' }))
  })

  it('is still refused where clients disagree or the name could deceive', async () => {
    const { names, runtime, dir } = await listSkills({
      'skills/a/SKILL.md': `---\nname: a\n---\n${BODY}`,
      'skills/b/SKILL.md': `---\nname: \u212Aite\ndescription: Kelvin.\n---\n${BODY}`,
      'skills/c/SKILL.md': `---\nname: c\ndescription: [open\n---\n${BODY}`,
      'skills/d/SKILL.md': `---\nname: c/d\ndescription: A path.\n---\n${BODY}`,
    })
    expect(names).toEqual([])
    const problems = await runtime.repository.problems()
    const paths = new Set(problems.map(({ path }) => path.slice(dir.length)))
    expect([...paths]).toEqual([
      '/skills/a/SKILL.md',
      '/skills/b/SKILL.md',
      '/skills/c/SKILL.md',
      '/skills/d/SKILL.md',
    ])
  })

  it('keeps values that YAML reads, and reports the repaired syntax error', () => {
    const read = (text: string) => readMarkdown('SKILL.md', `---\n${text}\n---\n`).frontMatter
    const quoted = read('name: a\ndescription: "x: y"')
    expect(quoted).toMatchObject({ data: { description: 'x: y' }, repaired: undefined })
    const repaired = read('name: a\r\ndescription: He said "x": y # no comment\r\nkey: 1')
    expect(repaired.data).toEqual({
      name: 'a',
      description: 'He said "x": y # no comment',
      key: 1,
    })
    expect(repaired).toMatchObject({ problem: undefined, repaired: { message: expect.any(String) } })
  })
})
