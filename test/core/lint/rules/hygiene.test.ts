import { describe, expect, it } from 'vitest'
import { extendExampleBody, createExampleToml } from '../../../../src/core/lint/example-skill.ts'
import { TEMPLATES } from '../../../../src/core/skills/scaffold/templates.ts'
import type { RuleExample } from '../../../../src/core/lint/rule.ts'
import { lintFixedFile, lintFindings } from '../../../helpers/rule-cases.ts'

const ENGLAND = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'

describe('rules of hygiene', () => {
  it.each<[string, RuleExample]>([
    ['tables with CR LF, a mark and blanks', { 'resources/a.csv': '\uFEFFa,b, \r\n1,2, \r\n' }],
    ['a flag made of invisible tags', { 'SKILL.md': extendExampleBody(`Flag ${ENGLAND} here.\n`) }],
    [
      'an emoji with joiners',
      { 'SKILL.md': extendExampleBody('\u{1F469}\u200D\u{1F4BB} \u2764\uFE0F\n') },
    ],
    ['line breaks of Markdown', { 'resources/a.md': 'one  \ntwo   \nthree\n' }],
    ['blanks in a text of several lines', { 'resources/a.py': 'x = """a  \nb"""\n' }],
    [
      'a todo list',
      { 'skill.toml': createExampleToml({ description: '"Adds a todo to your list by name."' }) },
    ],
    ['a certificate', { 'resources/ca.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n' }],
    [
      'a TODO in code that is shown',
      { 'SKILL.md': extendExampleBody('```py\n# TODO: x\nTODO\n```\n') },
    ],
  ])('report nothing for %s', async (_, example) => {
    expect(await lintFindings(example, ['hygiene'])).toEqual([])
  })

  it('report a version control folder, but nothing inside it', async () => {
    const found = await lintFindings(
      { '.git/HEAD': 'ref: x  \r\n', '.git/config': { content: 'x\n', mode: 0o777 } },
      ['hygiene'],
    )
    expect(found).toEqual([
      {
        text: 'hygiene/vendored-folder: The folder ".git" does not belong in a skill',
        severity: 'warning',
        at: undefined,
        help: 'Move the skill into a subfolder of the repository',
      },
    ])
  })
})

describe('rules of hygiene', () => {
  it('report every line with a bidirectional control character', async () => {
    const body = extendExampleBody('a\u202Eb\u202Ec\nd\n\u2066e\n')
    const found = await lintFindings({ 'SKILL.md': body }, ['hygiene'])
    expect(found.map((each) => [each.text, each.at])).toEqual([
      [
        'hygiene/bidi-character: The line contains U+202E, which changes the text direction, expected no bidirectional control characters',
        '\u202E',
      ],
      [
        'hygiene/bidi-character: The line contains U+2066, which changes the text direction, expected no bidirectional control characters',
        '\u2066',
      ],
    ])
  })

  it('report each conflict marker', async () => {
    const body = extendExampleBody('<<<<<<< HEAD\na\n||||||| base\nb\n=======\nc\n>>>>>>> other\n')
    const found = await lintFindings({ 'SKILL.md': body }, ['hygiene/conflict-marker'])
    expect(found.map((each) => each.at)).toEqual(['<<<<<<< HEAD', '||||||| base', '>>>>>>> other'])
  })

  it('report placeholders in the body with the exact text', async () => {
    const body = extendExampleBody(
      '- TODO: write this\n\nLorem ipsum dolor.\n\n<your text here>\n\nAsk <your name> first.\n\n- TODO/FIXME comments\n',
    )
    const found = await lintFindings({ 'SKILL.md': body }, ['hygiene/placeholder'])
    expect(found.map((each) => each.at)).toEqual([
      '- TODO: write this',
      'Lorem ipsum dolor.',
      '<your text here>',
    ])
  })

  it.each([
    ['acme', ['hygiene/placeholder']],
    // The tour of the README creates `demo.hello`.
    ['demo', []],
  ])('notice the description of a template in the namespace %s', async (namespace, rules) => {
    const description = TEMPLATES[0]?.description ?? ''
    const manifest = createExampleToml({
      name: `"${namespace}.pdf"`,
      namespace: `"${namespace}"`,
      description: JSON.stringify(description),
    })
    const found = await lintFindings({ 'skill.toml': manifest }, ['hygiene/placeholder'])
    expect(found.map((each) => each.text.split(':')[0])).toEqual(rules)
    expect(found.map((each) => each.at)).toEqual(rules.map(() => JSON.stringify(description)))
  })

  it('suggest commands that are quoted for the shell', async () => {
    const found = await lintFindings(
      { "resources/it's; rm x.md": { content: 'x\n', mode: 0o755 } },
      ['hygiene/executable-bit'],
    )
    expect(found.map((each) => each.help)).toEqual([
      "Run: chmod -x -- 'resources/it'\\''s; rm x.md'",
    ])
  })
})

describe('fixes of hygiene', () => {
  it('remove invisible characters from prose, and from code only if unsafe fixes are on', async () => {
    const example = {
      'SKILL.md': extendExampleBody(`Hid\u200Bden ${ENGLAND}.\n`),
      'code/main.py':
        'def main(args):\n    return {"who": args.get("who", "").replace("\u200B", "")}\n',
    }
    expect(await lintFixedFile(example, { file: 'SKILL.md' })).toContain(`Hidden ${ENGLAND}.`)
    expect(await lintFixedFile(example, { file: 'code/main.py' })).toContain('\u200B')
    expect(await lintFixedFile(example, { file: 'code/main.py', unsafe: true })).not.toContain(
      '\u200B',
    )
  })

  it('strip trailing blanks outside of strings, whatever comments contain', async () => {
    const text = `# use """ here  \nx = """a  \nb"""  \ny = '#"""'  \n`
    expect(await lintFixedFile({ 'code/a.py': text }, { file: 'code/a.py' })).toBe(
      `# use """ here\nx = """a  \nb"""\ny = '#"""'\n`,
    )
  })

  it('handle more spans than the limit for single edits', async () => {
    const text = '# a\t\n'.repeat(30_000)
    expect(await lintFixedFile({ 'code/a.py': text }, { file: 'code/a.py' })).toBe(
      '# a\n'.repeat(30_000),
    )
  })

  it('never change version control files', async () => {
    const example = { '.git/HEAD': 'ref: x  \r\n' }
    expect(await lintFixedFile(example, { file: '.git/HEAD', unsafe: true })).toBe('ref: x  \r\n')
  })
})
