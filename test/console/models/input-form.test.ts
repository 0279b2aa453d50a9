import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  parseArguments,
  readFields,
  writeDefaults,
  writeFields,
  type FormInput,
} from '../../../src/console/models/input-form.ts'

const input = (name: string, type: string, more: Partial<FormInput> = {}): FormInput => ({
  name,
  type,
  description: null,
  required: false,
  ...more,
})

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.string(),
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
  boolean: fc.boolean(),
  object: fc.dictionary(fc.string(), fc.jsonValue()),
  array: fc.array(fc.jsonValue()),
  blob: fc.string({ minLength: 1 }),
  any: fc.jsonValue(),
}

it('arguments of every type survive the way through the fields', () => {
  for (const [type, values] of Object.entries(VALUES)) {
    fc.assert(
      fc.property(values, (value) => {
        const expected = JSON.parse(JSON.stringify({ x: value })) as object
        const texts = writeFields([input('x', type)], expected)
        const { args, problems } = readFields([input('x', type)], texts)
        expect(problems).toEqual({})
        expect(args).toEqual(expected)
      }),
    )
  }
})

it('an input with the name of a member of all objects is an ordinary one', () => {
  const inputs = [input('__proto__', 'string'), input('constructor', 'string')]
  const args = JSON.parse('{"__proto__": "a", "constructor": "b"}') as object
  const texts = writeFields(inputs, args)
  expect(JSON.stringify(readFields(inputs, texts).args)).toBe(JSON.stringify(args))
  expect(readFields(inputs, {}).args).toEqual({})
})

it.each([
  ['integer', '1.5', 'Expected a whole number'],
  ['integer', '9007199254740993', 'Expected a whole number'],
  ['number', 'ten', 'Expected a number'],
  ['boolean', 'yes', 'Expected true or false'],
  ['array', '{}', 'Expected a JSON list, such as [1, 2]'],
  ['object', '[]', 'Expected a JSON object, such as {"name": "Ada"}'],
])('a field of the type %s with the text %s states what is expected', (type, text, problem) => {
  expect(readFields([input('x', type)], { x: text }).problems).toEqual({ x: problem })
})

it('a required field without a text is a problem, an optional one is not passed', () => {
  const inputs = [input('a', 'string', { required: true }), input('b', 'string')]
  const { args, problems } = readFields(inputs, {})
  expect(args).toEqual({})
  expect(problems).toEqual({ a: 'A value is required' })
})

it('a choice keeps the type of its value', () => {
  const inputs = [input('size', 'integer', { enum: [1, 2] })]
  expect(readFields(inputs, { size: '2' }).args).toEqual({ size: 2 })
  expect(readFields(inputs, { size: '3' }).problems).toEqual({ size: 'Expected one of 1, 2' })
})

it('a new form has the defaults', () => {
  expect(writeDefaults([input('n', 'integer', { default: 3 }), input('s', 'string')])).toEqual({
    n: '3',
  })
})

it('JSON that is not an object is refused with a sentence', () => {
  expect(parseArguments('[]')).toHaveProperty('problem')
  expect(parseArguments('{')).toHaveProperty('problem')
})
