import { describe, expect, it } from 'vitest'
import { EXAMPLE_TABLES, createExampleToml } from '../../../../src/core/lint/example-skill.ts'
import { lintFixedFile, lintFindings } from '../../../helpers/rule-cases.ts'

const toml = (text: string) => ({ 'skill.toml': text })

describe('rules of skill.toml', () => {
  it.each<[string, { text: string; message: string; at: string }]>([
    [
      'a key in capitals',
      {
        text: createExampleToml({ version: null, Version: '"1.0.0"' }),
        message:
          'Unknown key "Version", expected one of name, version, description, kind, namespace, tags, runtime, inputs, permissions, dependencies, requires, examples',
        at: 'Version',
      },
    ],
    [
      'a misspelt table',
      {
        text: createExampleToml({}, EXAMPLE_TABLES.replace('[runtime]', '[runtme]')),
        message:
          'Unknown key "runtme", expected one of name, version, description, kind, namespace, tags, runtime, inputs, permissions, dependencies, requires, examples',
        at: 'runtme',
      },
    ],
    [
      'a number as version',
      {
        text: createExampleToml({ version: '1.0' }),
        message: '"version" is a number, expected a string',
        at: '1.0',
      },
    ],
    [
      'a date as description',
      {
        text: createExampleToml({ description: '1979-05-27' }),
        message: '"description" is a date, expected a string',
        at: '1979-05-27',
      },
    ],
    [
      'a number among the tags',
      {
        text: createExampleToml({ tags: '["a", 2, "c"]' }),
        message: '"tags" is a list with a number in it, expected a list of strings',
        at: '2',
      },
    ],
    [
      'an export without a name',
      {
        text: createExampleToml({}, EXAMPLE_TABLES.replace('"main"\n', '""\n')),
        message: '"runtime.export" is empty, expected a string',
        at: '""',
      },
    ],
    [
      'a tag without letters',
      {
        text: createExampleToml({ tags: '["a", ""]' }),
        message: 'Tag "" is empty, expected a word',
        at: '""',
      },
    ],
    [
      'a key given twice',
      {
        text: createExampleToml({ tags: '[]\nname = "demo.other"' }),
        message:
          'Cannot parse the manifest: trying to redefine an already defined table or value at "name"',
        at: 'n',
      },
    ],
  ])('report %s as one problem with one message', async (_, { text, message, at }) => {
    const found = await lintFindings(toml(text), ['schema'])
    expect(found.map((each) => [each.text.replace(/^[^:]*: /, ''), each.at])).toEqual([
      [message, at],
    ])
  })

  it('name the right table for a key below the wrong heading', async () => {
    const tables = EXAMPLE_TABLES.replace(
      'export = "main"\n',
      'export = "main"\ntags = []\nnetwork = []\n',
    )
    const found = await lintFindings(toml(createExampleToml({}, tables)), ['schema'])
    expect(found.map((each) => each.help)).toEqual([
      'Move "tags" above the first table: keys after [runtime] belong to that table',
      'Move "network" below [permissions]',
    ])
  })

  it('suggest a key for only one of two misspellings, so that a fix cannot duplicate it', async () => {
    const text = createExampleToml({ version: null, Version: '"1.0.0"', verison: '"2.0.0"' })
    const after = await lintFixedFile(toml(text), { file: 'skill.toml', unsafe: true })
    expect(after.match(/^version = /gm)).toHaveLength(1)
    expect(after).toContain('verison = "2.0.0"')
  })

  it('accept a quoted date as a string', async () => {
    const text = createExampleToml({ description: '"1979-05-27 was a fine day for a skill."' })
    expect(await lintFindings(toml(text), ['schema'])).toEqual([])
  })
})

describe('fixes of skill.toml', () => {
  it('insert a missing kind after a multi-line string that looks like a table', async () => {
    const text = createExampleToml({ kind: null, description: '"""\n[runtime] of greetings"""' })
    const after = await lintFixedFile(toml(text), { file: 'skill.toml' })
    expect(after.match(/^kind = "action"$/gm)).toHaveLength(1)
    expect(after).toMatch(/"\nkind = "action"\n\n\[runtime\]/)
  })

  it('keep a schema directive at the top', async () => {
    const text = `#:schema ./skill.json\n\n${EXAMPLE_TABLES}`
    const after = await lintFixedFile(toml(text), { file: 'skill.toml', unsafe: true })
    expect(after.startsWith('#:schema ./skill.json\ndescription = ')).toBe(true)
    expect(after.indexOf('version = "0.1.0"')).toBeLessThan(after.indexOf('[runtime]'))
  })

  it('copy the description from SKILL.md', async () => {
    const after = await lintFixedFile(toml(createExampleToml({ description: null })), {
      file: 'skill.toml',
      unsafe: true,
    })
    expect(after).toContain('description = "Greets somebody by name."\n')
  })

  it('keep the comments between tags', async () => {
    const text = createExampleToml({ tags: '[\n  "a", # first\n  "a", # second\n]' })
    const after = await lintFixedFile(toml(text), { file: 'skill.toml' })
    expect(after).toContain('"a", # first\n')
    expect(after).toContain('# second\n]')
    expect(after.match(/"a"/g)).toHaveLength(1)
  })

  it.each([
    ['version', '1.0', 'version = "1.0.0"'],
    ['tags', '"demo" # why', 'tags = ["demo"] # why'],
    ['version', '"v2"', 'version = "2.0.0"'],
  ])('repair %s = %s', async (key, value, line) => {
    const text = createExampleToml({ [key]: value })
    const after = await lintFixedFile(toml(text), { file: 'skill.toml', unsafe: true })
    expect(after).toContain(`${line}\n`)
  })

  it('keep the finding short for a version of a megabyte of digits', async () => {
    const text = createExampleToml({ version: `"${'1'.repeat(900_000)}"` })
    const found = await lintFindings(toml(text), ['schema'])
    expect(found.map((each) => each.text)).toEqual([
      `schema/invalid-version: version is "${'1'.repeat(57)}…", expected a semantic version such as "0.1.0"`,
    ])
  })
})
