import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SCHEMAS } from '../../src/core/schema/schemas.ts'
import { readEvals } from '../../src/evals/cases/find-evals.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const CASE = { id: 1, prompt: 'Greet Ada', assertions: ['It greets'] }

const VALID: readonly [string, unknown][] = [
  ['assertions', { skill_name: 'greet', evals: [CASE] }],
  ['expectations', { evals: [{ id: 'a', prompt: 'x', expectations: ['y'] }] }],
  ['a good result', { evals: [{ id: 1, prompt: 'x', expected_output: 'y', assertions: [] }] }],
  ['an empty list of files', { evals: [{ ...CASE, files: [], name: 'n' }] }],
  ['the address of the schema', { $schema: '../evals.schema.json', evals: [CASE] }],
  ['trigger evals', [{ query: 'x', should_trigger: true }]],
]
const INVALID: readonly [string, unknown, string][] = [
  ['no cases', { evals: [] }, '1:10 Expected at least one case'],
  ['a missing list', { skill_name: 'greet' }, '1:1 The key "evals" is missing'],
  ['an unknown key', { evals: [CASE], more: 1 }, '1:69 Unknown key "more"'],
  ['no id', { evals: [{ prompt: 'x', assertions: ['y'] }] }, 'The key "id" is missing'],
  ['an id that is a list', { evals: [{ ...CASE, id: [] }] }, 'Expected a number or a text'],
  ['an id that is empty', { evals: [{ ...CASE, id: '' }] }, 'Expected a number or a text'],
  ['no prompt', { evals: [{ id: 1, assertions: ['y'] }] }, 'The key "prompt" is missing'],
  ['an empty prompt', { evals: [{ ...CASE, prompt: '' }] }, 'Expected a text that is not empty'],
  ['a case without checks', { evals: [{ id: 1, prompt: 'x' }] }, 'The case checks nothing'],
  ['empty lists', { evals: [{ ...CASE, assertions: [] }] }, 'The case checks nothing'],
  ['both lists', { evals: [{ ...CASE, expectations: ['z'] }] }, 'has assertions and expectations'],
  ['a statement that is a number', { evals: [{ ...CASE, assertions: [1] }] }, 'Expected a text'],
  ['files as a text', { evals: [{ ...CASE, files: 'a.csv' }] }, 'Expected a list'],
  ['no queries', [], '1:1 Expected at least one query'],
  ['a query without a choice', [{ query: 'x' }], 'The key "should_trigger" is missing'],
  ['a choice as a text', [{ query: 'x', should_trigger: 'yes' }], 'Expected true or false'],
]

function listMistakes(value: unknown): string[] {
  const folder = createFolder({ 'evals/evals.json': JSON.stringify(value) })
  const { problems } = readEvals({ folder, names: ['greet'] })
  return problems.map(({ start, message }) => `${start.line}:${start.column} ${message}`)
}

describe('the JSON Schema of evals', () => {
  const schema = z.fromJSONSchema(SCHEMAS.evals())

  it.each(VALID)('accepts, as the reader does: %s', (_, value) => {
    expect(listMistakes(value)).toEqual([])
    expect(schema.safeParse(value).success).toBe(true)
  })

  it.each(INVALID)('refuses, as the reader does with its position: %s', (...[, value, message]) => {
    expect(listMistakes(value).join('\n')).toContain(message)
    expect(listMistakes(value)[0]).toMatch(/^1:\d+ /)
    expect(schema.safeParse(value).success).toBe(false)
  })

  it('knows no further keys of a case, as the reader', () => {
    const value = { evals: [{ ...CASE, promt: 'x' }] }
    expect(listMistakes(value)).toEqual(['1:67 Unknown key "promt"'])
    // The validator above does not check this beside "anyOf".
    const [{ properties }] = SCHEMAS.evals()['anyOf'] as [
      { properties: { evals: { items: object } } },
    ]
    expect(properties.evals.items).toMatchObject({ additionalProperties: false })
  })

  it('is printed by the command, and written for editors', async () => {
    const printed = await runSkills(['schema', 'evals'])
    const expected = SCHEMAS.evals() as unknown
    expect(JSON.parse(printed.stdout)).toEqual(expected)
    const cwd = createFolder()
    expect((await runSkills(['init'], { cwd })).stdout).toContain('.skills/evals.schema.json')
  })
})
