import { findNearest } from '../../../util/find-nearest.ts'
import { EXAMPLE_KEYS } from './fields.ts'
import type { Plain, PlainObject, SkillExample } from './manifest.ts'

/** Examples are read by people and run one by one, so a long list is a mistake or an attack. */
export const MAX_EXAMPLES = 50
/** Maximum size of one example as JSON, in UTF-16 units. */
export const MAX_EXAMPLE_LENGTH = 16 * 1024
/** The description becomes the name of a case. */
const MAX_DESCRIPTION = 200

/** A mistake in the examples of skill.toml. */
export interface ExampleProblem {
  /** Steps below the key `examples`. */
  path: readonly (string | number)[]
  what: 'key' | 'value'
  message: string
  help: string
}

/** The examples without mistakes; undefined if there are none. */
export function toExamples(value: Plain | undefined): SkillExample[] | undefined {
  if (!Array.isArray(value)) return undefined
  const wrong = new Set(findExampleProblems(value).map(({ path }) => path[0]))
  const examples = value.slice(0, MAX_EXAMPLES).flatMap((each, index) => {
    if (wrong.has(index) || !isExampleTable(each)) return []
    const { description, args, result, error } = each
    return {
      index,
      description: typeof description === 'string' ? description : undefined,
      args: isExampleTable(args) ? args : {},
      result,
      error: typeof error === 'string' ? error : undefined,
    }
  })
  return examples.length === 0 ? undefined : examples
}

/** Finds every mistake that can be seen without the inputs of the skill. */
export function findExampleProblems(value: Plain | undefined): ExampleProblem[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    const message = '"examples" is not a list of tables'
    return [{ path: [], what: 'value', message, help: 'Begin each example with [[examples]]' }]
  }
  const problems = value.slice(0, MAX_EXAMPLES).flatMap(checkExample)
  if (value.length > MAX_EXAMPLES) {
    const message = `The manifest has ${value.length} examples, expected at most ${MAX_EXAMPLES}`
    const help = 'Move further calls to tests/<topic>.test.toml'
    problems.push({ path: [MAX_EXAMPLES], what: 'key', message, help })
  }
  return [...problems, ...findRepeatedDescriptions(value.slice(0, MAX_EXAMPLES))]
}

function checkExample(example: Plain, index: number): ExampleProblem[] {
  if (!isExampleTable(example)) {
    const help = 'Write { args = { name = "value" } }'
    return [{ path: [index], what: 'value', message: 'An example is not a table', help }]
  }
  const size = JSON.stringify(example).length
  if (size > MAX_EXAMPLE_LENGTH) {
    const message = `The example has ${size} characters as JSON, expected at most ${MAX_EXAMPLE_LENGTH}`
    const help = 'Move the call to tests/<topic>.test.toml, and its large values to files'
    return [{ path: [index], what: 'key', message, help }]
  }
  return [...findUnknownExampleKeys(example, index), ...checkExampleValues(example, index)]
}

function findUnknownExampleKeys(example: PlainObject, index: number): ExampleProblem[] {
  const unknown = Object.keys(example).filter(
    (key) => !(EXAMPLE_KEYS as readonly string[]).includes(key),
  )
  return unknown.map((key) => {
    const near = findNearest(key, EXAMPLE_KEYS)
    const help =
      near === undefined ? `The keys are ${EXAMPLE_KEYS.join(', ')}` : `Did you mean "${near}"?`
    return { path: [index, key], what: 'key', message: `Unknown key "${key}" in an example`, help }
  })
}

function checkExampleValues(example: PlainObject, index: number): ExampleProblem[] {
  const { description, args, error, result } = example
  const problems: ExampleProblem[] = []
  const addProblem = (key: string, message: string, help: string): void =>
    void problems.push({ path: [index, key], what: 'value', message, help })
  if (description !== undefined && !isDescription(description)) {
    const expected = `one line with at most ${MAX_DESCRIPTION} characters`
    addProblem('description', `The description of an example is not ${expected}`, 'Shorten it')
  }
  if (args !== undefined && !isExampleTable(args)) {
    addProblem('args', '"args" is not a table', 'Write args = { name = "value" }')
  }
  if (error !== undefined && !isDescription(error)) {
    addProblem('error', '"error" is not the type of an error', 'Write a type such as "ValueError"')
  }
  if (error !== undefined && result !== undefined) {
    const help = 'Remove one of them: a call that fails has no result'
    addProblem('error', 'The example has both "result" and "error"', help)
  }
  return problems
}

/** A text that fits in a line of a report. */
function isDescription(value: Plain): boolean {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= MAX_DESCRIPTION &&
    // Names of cases are printed, so they have no control characters.
    !/\p{Cc}/u.test(value)
  )
}

function findRepeatedDescriptions(examples: readonly Plain[]): ExampleProblem[] {
  const seen = new Set<Plain>()
  return examples.flatMap((each, index): ExampleProblem[] => {
    const description = isExampleTable(each) ? each['description'] : undefined
    if (typeof description !== 'string') return []
    if (!seen.has(description)) {
      seen.add(description)
      return []
    }
    const message = `Two examples have the description "${description.slice(0, MAX_DESCRIPTION)}"`
    const help = 'Describe the difference between the two calls'
    return [{ path: [index, 'description'], what: 'value', message, help }]
  })
}

function isExampleTable(value: Plain | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
