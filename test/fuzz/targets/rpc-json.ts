import { SkillsError } from '../../../src/errors.ts'
import { readEnvelope } from '../../../src/rpc/envelope.ts'
import { MAX_DEPTH, MAX_NUMBER_CHARS } from '../../../src/rpc/json-limits.ts'
import { parseJson } from '../../../src/rpc/parse-json.ts'
import { readJson } from '../../../src/rpc/read-json.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

type ReadValue = { value: unknown } | { code: string }

const LIMITS = { maxValues: 100_000 }
const LONG_NUMBER = new RegExp(`[-+.eE\\d]{${MAX_NUMBER_CHARS + 1}}`)

/** Bodies of requests: the same values as JSON.parse, or a typed error. */
export const target: FuzzTarget = {
  name: 'rpc-json',
  format: 'json',
  seeds: [
    '{"jsonrpc":"2.0","id":1,"method":"list_skills","params":{"limit":5}}',
    '[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":"a","method":"describe_skill"}]',
    '{"a":"\\u0000\\"\\\\","b":[[[[1e10,-0,1.5]]]],"__proto__":{"id":2}}',
  ],
  words: ['[', ']', '{"a":', '}', '1e999', '1E+400', '0'.repeat(150), '\\"', '\\\\', '"', '\\u'],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    const expected = parseSimply(text)
    const actual = read(() => readJson(text, LIMITS))
    // The planted bug: a bracket in a text counts as nesting.
    const isDeep = isPlanted && text.split('[').length > 12
    expectEqual(isDeep ? { code: 'rpc/invalid-request' } : actual, expected, 'the value')
    const sliced = read(() => finish(parseJson(input, LIMITS)))
    // The first of several faults is another one where limits are checked while parsing.
    if ('value' in expected) expectEqual(sliced, expected, 'the value that is parsed in slices')
    else expectThat('code' in sliced, 'a body that is refused is refused in slices')
    for (const each of 'value' in expected ? [expected.value].flat() : []) {
      const { id } = readEnvelope(each)
      expectThat(id === undefined || id === null || ['string', 'number'].includes(typeof id), 'id')
    }
  },
}

function finish(steps: Iterator<unknown, unknown>): unknown {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function read(parse: () => unknown): ReadValue {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof SkillsError) return { code: error.code }
    throw error
  }
}

/** Parses first and measures the value, where the code under test measures the text. */
function parseSimply(text: string): ReadValue {
  // Brackets outside of texts, also of a body that is not JSON.
  let depth = 0
  const outside = text.replace(/"(?:[^"\\]|\\[^])*(?:"|$)/g, '"')
  if (LONG_NUMBER.test(outside)) return { code: 'rpc/invalid-request' }
  for (const each of outside) {
    if ('[{'.includes(each)) depth += 1
    else if (']}'.includes(each)) depth -= 1
    if (depth > MAX_DEPTH) return { code: 'rpc/invalid-request' }
  }
  try {
    const value = JSON.parse(text) as unknown
    return isFinite(value) ? { value } : { code: 'rpc/invalid-request' }
  } catch {
    return { code: 'rpc/not-json' }
  }
}

function isFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isFinite)
}
