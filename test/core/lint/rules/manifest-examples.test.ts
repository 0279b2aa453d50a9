// @module-tag slow
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createExampleToml, EXAMPLE_TABLES } from '../../../../src/core/lint/example-skill.ts'
import { lintFindings } from '../../../helpers/rule-cases.ts'
import { lintFolder, writeExample } from '../../../helpers/rule-examples.ts'

const TABLES = `${EXAMPLE_TABLES.replace('type = "string",', 'type = "string", required = true,')}count = { type = "integer", description = "How often" }
tone = { type = "string", description = "Tone", enum = ["warm", "dry"] }
table = { type = "blob", description = "A table" }
`
const RULES = [
  'schema/invalid-example',
  'docs/example-arguments',
  'docs/example-missing-input',
  'docs/example-type',
]

function createFiles(lines: string) {
  const toml = createExampleToml({}, `${TABLES}\n[[examples]]\n${lines}\n`)
  return { 'skill.toml': toml, 'resources/a.csv': 'a,b\n' }
}

describe('an example in skill.toml', () => {
  it.each<[string, string, { text: string; at: string }]>([
    [
      'an unknown argument',
      'args = { who = "Ada", cuont = 1 }',
      {
        text: 'docs/example-arguments: The example passes "cuont", which is not declared under [inputs]',
        at: 'cuont',
      },
    ],
    [
      'an argument of another type',
      'args = { who = "Ada", count = "often" }',
      {
        text: 'docs/example-type: The example passes ""often"" for "count", expected an integer',
        at: '"often"',
      },
    ],
    [
      'a value that is not allowed',
      'args.who = "Ada"\nargs.tone = "loud"',
      {
        text: 'docs/example-type: The example passes ""loud"" for "tone", expected one of "warm", "dry"',
        at: '"loud"',
      },
    ],
    [
      'a missing argument',
      'args = { count = 1 }',
      {
        text: 'docs/example-missing-input: The example does not pass "who", which [inputs] requires',
        at: 'examples',
      },
    ],
    [
      'a missing file',
      'args = { who = "Ada", table = "resources/b.csv" }',
      {
        text: 'schema/invalid-example: The example passes "resources/b.csv" for the blob "table", which is not a file of the skill',
        at: '"resources/b.csv"',
      },
    ],
    [
      'an unknown key',
      'reslut = 1\nargs = { who = "Ada" }',
      { text: 'schema/invalid-example: Unknown key "reslut" in an example', at: 'reslut' },
    ],
  ])('with %s is reported at its position', async (_, lines, finding) => {
    expect(await lintFindings(createFiles(lines), RULES)).toMatchObject([finding])
  })

  it.each([
    ['right arguments', 'args = { who = "Ada", count = 1, table = "resources/a.csv" }'],
    [
      'wrong arguments and an error',
      'args = { count = "often", cuont = 1 }\nerror = "ValidationError"',
    ],
  ])('with %s is accepted', async (_, lines) => {
    expect(await lintFindings(createFiles(lines), RULES)).toEqual([])
  })

  it('of instructions is reported', async () => {
    const toml = `${createExampleToml({ kind: '"instruction"' }, '')}\n[[examples]]\n`
    expect(
      await lintFindings({ 'skill.toml': toml, 'code/main.py': null }, ['schema/invalid-example']),
    ).toMatchObject([
      {
        text: 'schema/invalid-example: The skill has examples, but no function that they could call',
      },
    ])
  })

  it('that passes a link out of the skill is reported', async () => {
    const root = writeExample(createFiles('args = { who = "Ada", table = "resources/link.csv" }'))
    symlinkSync('/etc/hostname', join(root, 'greet/resources/link.csv'))
    const { findings } = await lintFolder(root)
    expect(findings.map(({ rule }) => rule)).toContain('schema/invalid-example')
  })
})
