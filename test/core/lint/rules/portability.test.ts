import { describe, expect, it } from 'vitest'
import { createExampleMarkdown } from '../../../../src/core/lint/example-skill.ts'
import { lintFixedFile, lintFindings } from '../../../helpers/rule-cases.ts'

const START = 'name: greet\ndescription: Greets somebody by name.\n'
const markdown = (more: string) => ({ 'SKILL.md': createExampleMarkdown(START + more) })

describe('rules of portability', () => {
  it.each<[string, string, string]>([
    ['metadata: {a: b}\n', 'a table in braces', '{a: b}'],
    ['license: &x MIT\n', 'an anchor ("&")', '&x'],
    ['license: !!str MIT\n', 'a tag ("!")', '!!str'],
    ['metadata:\n  a: [x, y] \n', 'a list in brackets', '[x, y]'],
  ])('report %s as YAML that strict parsers reject', async (more, what, at) => {
    const found = await lintFindings(markdown(more), ['portability/strict-yaml'])
    expect(found.map((each) => [each.text, each.at])).toEqual([
      [
        `portability/strict-yaml: Strict YAML parsers reject ${what}, expected plain values, one per line`,
        at,
      ],
    ])
  })

  it.each([
    'metadata:\n  a: |\n    [not a list\n    {nor a table\n  b: c\n',
    'metadata:\n  a: "[x]"\n',
    'license: MIT & more\n',
    'tags: [a, b]\n',
  ])('report no strict YAML problem in %j', async (more) => {
    expect(await lintFindings(markdown(more), ['portability/strict-yaml'])).toEqual([])
  })

  it('report a missing name with the exact key to add', async () => {
    const text = createExampleMarkdown('description: Greets somebody by name.\n')
    const found = await lintFindings({ 'SKILL.md': text }, ['portability/agent-name'])
    expect(found.map((each) => [each.text, each.help])).toEqual([
      [
        'portability/agent-name: As an Agent Skill, the front matter needs a "name", expected the name of the folder',
        'Write name: greet',
      ],
    ])
  })
})

describe('fixes of portability', () => {
  it('insert a description after a fence that ends with a carriage return', async () => {
    const text = createExampleMarkdown('name: greet\n').replaceAll('\n', '\r\n')
    const after = await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })
    expect(
      after.startsWith('---\ndescription: "Greets somebody by name."\nname: greet\n---\n'),
    ).toBe(true)
  })

  it.each([
    ['metadata:\n  version: 0.10 # why\n', 'metadata:\n  version: "0.10" # why\n'],
    ['metadata: {a: b, c: d}\n', 'metadata:\n  a: b\n  c: d\n'],
    ['allowed-tools: [Read, "Bash(git: *)"]\n', 'allowed-tools: "Read, Bash(git: *)"\n'],
  ])('turn %j into %j', async (before, after) => {
    const text = await lintFixedFile(markdown(before), { file: 'SKILL.md' })
    expect(text.slice(text.indexOf('name.\n') + 6, text.indexOf('---\n\n'))).toBe(after)
  })
})
