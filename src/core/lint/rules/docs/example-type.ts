import type { Plain, SkillInput } from '../../../skills/manifest/manifest.ts'
import { hasType } from '../../../skills/manifest/has-type.ts'
import type { ExampleArgument } from '../../examples/example-call.ts'
import { listCheckedCalls, nameCall } from '../../examples/checked-calls.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { quoteValue } from '../../skill-facts.ts'

export const EXAMPLE_TYPE: Rule = {
  id: 'docs/example-type',
  severity: 'warning',
  what: 'An example call passes a value of another type than the input has',
  why: 'Models copy examples, and this call is refused or fails.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nGreets the person named in `who`.\n\n```sh\nskills exec demo.greet --args \'{"who": 7}\'\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Write a value of the declared type, or change the type.',
  check(skill, report) {
    for (const { file, arguments: passed, isFailure } of listCheckedCalls(skill)) {
      if (isFailure) continue
      for (const each of passed) {
        const input = Object.hasOwn(skill.manifest.inputs, each.name)
          ? skill.manifest.inputs[each.name]
          : undefined
        const expected = input && describeExpected(each, input)
        if (!expected || each.text === undefined) continue
        report({
          file,
          span: each.valueSpan,
          message: `The ${nameCall(file)} passes ${quoteValue(each.text)} for "${each.name}", expected ${expected}`,
          help: `Write ${expected}`,
        })
      }
    }
  },
}

/** The expected value; undefined if the value of the example is valid or not known. */
function describeExpected(passed: ExampleArgument, input: SkillInput): string | undefined {
  if (passed.text === undefined || /^(?:blob|any)$/.test(input.type)) return undefined
  const value = parseValue(passed, input)
  if (value === undefined || !hasType(value, input.type)) return TYPES[input.type]
  const isListed =
    input.enum?.some((each) => JSON.stringify(each) === JSON.stringify(value)) ?? true
  return isListed
    ? undefined
    : `one of ${input.enum?.map((each) => JSON.stringify(each)).join(', ')}`
}

const TYPES: Readonly<Record<SkillInput['type'], string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a JSON array',
  blob: 'the id of a blob',
  any: 'any value',
}

/** The value as the command line reads it: text for a string, otherwise JSON. */
function parseValue(
  { text = '', isJson }: ExampleArgument,
  { type }: SkillInput,
): Plain | undefined {
  if (type === 'string' && !isJson) return text
  try {
    return JSON.parse(text.replace(/^\+(?=\d)/, '')) as Plain
  } catch {
    return undefined
  }
}
