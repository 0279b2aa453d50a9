// @module-tag slow
import { describe, expect, it } from 'vitest'
import {
  EXAMPLE_TABLES,
  createExampleMarkdown,
  createExampleToml,
  extendExampleBody,
} from '../../../../src/core/lint/example-skill.ts'
import { lintFindings } from '../../../helpers/rule-cases.ts'

const TABLES = `${EXAMPLE_TABLES.replace('type = "string",', 'type = "string", required = true,')}count = { type = "integer", description = "How often" }
tone = { type = "string", description = "Tone", enum = ["warm", "dry"] }
tags = { type = "array", description = "Tags" }
`
const TOML = createExampleToml({}, TABLES)
const CODE = 'def main(args):\n    return dict(args)\n'

function lintBlock(language: string, text: string) {
  const body = extendExampleBody(
    `More: \`count\` \`tone\` \`tags\`\n\n\`\`\`${language}\n${text}\n\`\`\`\n`,
  )
  const files = { 'skill.toml': TOML, 'SKILL.md': body, 'code/main.py': CODE }
  return lintFindings(files, [
    'docs/example-arguments',
    'docs/example-missing-input',
    'docs/example-type',
    'docs/json-syntax',
  ])
}

describe('an example call', () => {
  it.each<[string, { call: string; text: string; at: string }]>([
    [
      'with an unknown name in JSON',
      {
        call: `skills exec demo.greet --args '{"who": "Ada", "cuont": 1}'`,
        text: 'docs/example-arguments: The example passes "cuont", which is not declared under [inputs]',
        at: 'cuont',
      },
    ],
    [
      'with an unknown name of a blob, on a second line',
      {
        call: 'skills exec demo.greet --arg who=Ada \\\n  --blob file=report.csv',
        text: 'docs/example-arguments: The example passes "file", which is not declared under [inputs]',
        at: 'file',
      },
    ],
    [
      'without a required input',
      {
        call: 'npx skills exec demo.greet@0.1.0 --arg count=2',
        text: 'docs/example-missing-input: The example does not pass "who", which [inputs] requires',
        at: 'demo.greet@0.1.0',
      },
    ],
    [
      'with text for an integer',
      {
        call: 'skills exec demo.greet --arg who=Ada --arg count=often',
        text: 'docs/example-type: The example passes "often" for "count", expected an integer',
        at: 'often',
      },
    ],
    [
      'with a number for a string in JSON',
      {
        call: `skills exec demo.greet --args '{"who": 7}'`,
        text: 'docs/example-type: The example passes "7" for "who", expected a string',
        at: '7',
      },
    ],
    [
      'with a value that is not listed',
      {
        call: `skills exec demo.greet --arg who="Ada L" --arg "tone=wet"`,
        text: 'docs/example-type: The example passes "wet" for "tone", expected one of "warm", "dry"',
        at: 'wet',
      },
    ],
    [
      'with a list that is not JSON',
      {
        call: `skills exec demo.greet --arg who=Ada --arg tags=a,b`,
        text: 'docs/example-type: The example passes "a,b" for "tags", expected a JSON array',
        at: 'a,b',
      },
    ],
  ])('%s is found at its place', async (_, { call, text, at }) => {
    const found = await lintBlock('sh', call)
    expect(found.map((each) => [each.text, each.at])).toEqual([[text, at]])
  })

  it('in a request of JSON is found at its place', async () => {
    const request = {
      method: 'skills.exec',
      params: { skill: 'demo.greet', args: { whom: 'Ada' } },
    }
    const found = await lintBlock('json', JSON.stringify(request, null, 2))
    expect(found.map((each) => [each.text, each.at])).toEqual([
      ['docs/example-missing-input: The example does not pass "who", which [inputs] requires', '{'],
      [
        'docs/example-arguments: The example passes "whom", which is not declared under [inputs]',
        'whom',
      ],
    ])
  })

  it('below a heading for the input is found at its place', async () => {
    const markdown = extendExampleBody(
      '## Input\n\n```json\n{ "who": "Ada", "count": "many" }\n```\n\n```json\n{ "schema": 1 }\n```\n',
    )
    const files = { 'skill.toml': TOML, 'SKILL.md': markdown, 'code/main.py': CODE }
    const found = await lintFindings(files, ['docs/example-type', 'docs/example-arguments'])
    expect(found.map((each) => each.at)).toEqual(['"many"'])
  })

  it.each([
    ['of another skill', 'skills exec demo.other --arg whom=Ada'],
    ['with placeholders', 'skills exec demo.greet --arg who=<name> --arg count=<n>'],
    ['with variables', 'skills exec demo.greet --arg who="$WHO" --arg count="$COUNT"'],
    ['with arguments from a file', 'skills exec demo.greet --args @args.json'],
    ['that is not complete', 'skills exec demo.greet --arg count=2 ...'],
    ['with options in brackets', 'skills exec demo.greet [--arg who=…]'],
    [
      'with values of all types',
      `skills exec demo.greet --arg who=7 --arg count=-2 --arg 'tags=["a"]'`,
    ],
    ['in a pipe', 'cat a.json | skills exec demo.greet --args - | jq .greeting # --arg whom=1'],
  ])('%s has no finding', async (_, call) => {
    expect(await lintBlock('sh', call)).toEqual([])
  })
})

describe('a block of JSON', () => {
  it.each<[string, { json: string; text: string; at: string }]>([
    [
      'with a final comma',
      { json: '{\n  "a": 1,\n}', text: 'expected a name in double quotes', at: '}' },
    ],
    ['with single quotes', { json: `{ 'a': 1 }`, text: 'invalid symbol', at: `'a'` }],
    ['with a constant of Python', { json: '{ "a": True }', text: 'invalid symbol', at: 'True' }],
    ['without its end', { json: '{\n  "a": [1, 2\n}', text: 'expected ","', at: '}' }],
  ])('%s is found at its place', async (_, { json, text, at }) => {
    const found = await lintBlock('json', json)
    expect(found.map((each) => each.text)).toEqual([
      `docs/json-syntax: Cannot parse this JSON: ${text}`,
    ])
    expect(found[0]?.at).toBe(at)
  })

  it.each([
    ['an elision', '{ "a": 1, ... }'],
    ['a comment', '{\n  // the name\n  "a": 1\n}'],
    ['a placeholder', '{ "a": <number> }'],
    ['a word instead of a value', '{ "total": N, "name": string }'],
    ['alternatives', '{ "a": "x" | "y" }'],
    ['several documents', '{ "a": 1 }\n{ "a": 2 }'],
  ])('with %s has no finding', async (_, json) => {
    expect(await lintBlock('json', json)).toEqual([])
  })

  it('with another tag has no finding', async () => {
    expect(await lintBlock('jsonc', '{ "a": 1, }')).toEqual([])
    expect(await lintBlock('json5', `{ a: 'b' }`)).toEqual([])
  })
})

function lintFrontMatter(lines: string) {
  const markdown = createExampleMarkdown(`name: greet\ndescription: Greets.\n${lines}`)
  return lintFindings({ 'SKILL.md': markdown }, [
    'portability/ambiguous-yaml',
    'portability/yaml-tab',
    'docs/cut-value',
  ])
}

describe('front matter', () => {
  it.each<[string, { lines: string; text: RegExp; at: string }]>([
    ['a boolean of YAML 1.1', { lines: 'formal: off\n', text: /read off as false/, at: 'off' }],
    ['a boolean in a list', { lines: 'tags:\n  - on\n', text: /read on as true/, at: 'on' }],
    ['a country that is a boolean', { lines: 'land: NO # Norway\n', text: /read NO/, at: 'NO' }],
    ['a date', { lines: 'updated: 2026-03-06\n', text: /as a date/, at: '2026-03-06' }],
    ['an octal number', { lines: 'code: 0755\n', text: /as an octal number/, at: '0755' }],
    ['a time in base 60', { lines: 'at: 12:30\n', text: /in base 60/, at: '12:30' }],
    ['a version with a final zero', { lines: 'version: 1.10\n', text: /last zero/, at: '1.10' }],
    ['a tab', { lines: 'metadata:\n\tauthor: Ada\n', text: /a tab as indentation/, at: '\t' }],
    [
      'a text that is cut',
      { lines: 'title: Greet in C #, and more\n', text: /ends before the "#"/, at: '#, and more' },
    ],
  ])('with %s is found at its place', async (_, { lines, text, at }) => {
    const found = await lintFrontMatter(lines)
    expect(found.map((each) => each.at)).toEqual([at])
    expect(found[0]?.text).toMatch(text)
  })

  it.each([
    ['quoted values', 'formal: "off"\nupdated: \'2026-03-06\'\ntitle: "C # more"\n'],
    ['text in a block', 'notes: |\n  formal: off\n  \ta tab\n'],
    ['plain values of one meaning', 'license: MIT\ncount: 10\nratio: 0.5\nflag: true\nv: 1.2.0\n'],
  ])('with %s has no finding', async (_, lines) => {
    expect(await lintFrontMatter(lines)).toEqual([])
  })
})

describe('TOML 1.1 in skill.toml', () => {
  it.each<[string, { written: string; text: string; at: string }]>([
    [
      'a line feed in a table',
      {
        written: 'more = {\n  type = "string", description = "More" }',
        text: 'a line feed in an inline table',
        at: 't',
      },
    ],
    [
      'a final comma',
      {
        written: 'more = { type = "string", description = "More", }',
        text: 'a comma at the end of an inline table',
        at: ',',
      },
    ],
    [
      'an escape',
      {
        written: 'more = { type = "string", description = "More \\e[1m" }',
        text: 'the escape "\\e"',
        at: '\\',
      },
    ],
  ])('%s is found at its place', async (_, { written, text, at }) => {
    const toml = createExampleToml({}, `${EXAMPLE_TABLES}${written}\n`)
    const found = await lintFindings({ 'skill.toml': toml }, ['portability/toml-version'])
    expect(found.map((each) => [each.text, each.at])).toEqual([
      [`portability/toml-version: TOML 1.0 does not allow this: ${text}`, at],
    ])
  })
})
