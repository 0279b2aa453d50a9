import { describe, expect, it } from 'vitest'
import {
  findExampleProblems,
  MAX_EXAMPLE_LENGTH,
  MAX_EXAMPLES,
  toExamples,
} from '../../../../src/core/skills/manifest/examples.ts'
import type { Plain } from '../../../../src/core/skills/manifest/manifest.ts'
import { toManifest } from '../../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../../src/core/skills/manifest/toml-source.ts'

const messages = (value: Plain) => findExampleProblems(value).map(({ message }) => message)

describe('examples of a manifest', () => {
  it('are read with their place, arguments and expected end', () => {
    const text = [
      '[[examples]]',
      'description = "greets"',
      'args = { name = "Ada" }',
      'result = "Hello, Ada"',
      '[[examples]]',
      'error = "ValidationError"',
    ].join('\n')
    const toml = readToml('skill.toml', text)
    const { manifest } = toManifest({ toml, markdown: undefined })
    expect(manifest.examples).toMatchObject([
      { index: 0, description: 'greets', args: { name: 'Ada' }, result: 'Hello, Ada' },
      { index: 1, description: undefined, args: {}, error: 'ValidationError' },
    ])
    expect(manifest.unknownKeys).toEqual([])
  })

  it.each<[string, Plain, string]>([
    ['a text', 'greet', '"examples" is not a list of tables'],
    ['a list of texts', ['greet'], 'An example is not a table'],
    ['a misspelt key', [{ arsg: {} }], 'Unknown key "arsg" in an example'],
    ['arguments in a list', [{ args: ['Ada'] }], '"args" is not a table'],
    ['an empty error', [{ error: ' ' }], '"error" is not the type of an error'],
    ['an error that is a table', [{ error: {} }], '"error" is not the type of an error'],
    ['a result and an error', [{ result: 1, error: 'E' }], 'The example has both "result" and "error"'],
    [
      'a description with two lines',
      [{ description: 'a\nb' }],
      'The description of an example is not one line with at most 200 characters',
    ],
    [
      'a description with an escape sequence',
      [{ description: '\u001b[2J' }],
      'The description of an example is not one line with at most 200 characters',
    ],
    [
      'two equal descriptions',
      [{ description: 'a' }, { description: 'a' }],
      'Two examples have the description "a"',
    ],
  ])('are refused with %s', (_, value, message) => {
    expect(messages(value)).toEqual([message])
  })

  it('without mistakes stay usable next to one with a mistake', () => {
    expect(toExamples([{ arsg: {} }, { args: { a: 1 } }])).toMatchObject([{ index: 1 }])
    expect(toExamples([{ arsg: {} }])).toBeUndefined()
  })

  it('are refused beyond their number, and the list is cut', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({ args: { at } }))
    expect(messages(many)).toEqual(['The manifest has 10000 examples, expected at most 50'])
    expect(toExamples(many)).toHaveLength(MAX_EXAMPLES)
    // Control: the greatest allowed number.
    expect(messages(many.slice(0, MAX_EXAMPLES))).toEqual([])
  })

  it('are refused beyond their size', () => {
    const example = (length: number) => [{ result: 'x'.repeat(length) }]
    expect(messages(example(MAX_EXAMPLE_LENGTH))).toEqual([
      expect.stringMatching(/^The example has \d+ characters as JSON, expected at most 16384$/),
    ])
    expect(toExamples(example(1_000_000))).toBeUndefined()
    // Control: braces and the name of the key take thirteen characters.
    expect(messages(example(MAX_EXAMPLE_LENGTH - 13))).toEqual([])
  })
})
