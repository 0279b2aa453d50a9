import { listExampleBlobs, listExampleValues } from './example.ts'
import { createMessage } from './message.ts'
import type { Outline, OutlineField } from './outline.ts'
import { formatTomlValue } from './toml-value.ts'

/** File of a new skill with its first case. */
export const TEST_FILE = 'tests/example.test.toml'

/** Values of the results in generated code; texts are the message. */
const RESULTS: Readonly<Partial<Record<OutlineField['type'], unknown>>> = {
  integer: 0,
  number: 0,
  boolean: false,
  object: {},
  array: [],
}

/** Creates a case that makes the example call and checks each value that the code returns. */
export function createTestText(name: string, language: string, outline: Outline): string {
  const values = listExampleValues(outline)
  const blobs = listExampleBlobs(outline)
  const message = createMessage(name, outline).replaceAll(/\{(\w+)\}/g, (_, input: string) =>
    spellValue(values[input], language),
  )
  return [
    '# Run with: skills test',
    '[[cases]]',
    'name = "example call"',
    ...(Object.keys(values).length > 0 ? [`args = ${formatTomlValue(values)}`] : []),
    ...(Object.keys(blobs).length > 0 ? [`blobs = ${formatTomlValue(blobs)}`] : []),
    'expect = [',
    '  { status = "completed" },',
    `  { result = { path = "summary", equals = ${formatTomlValue(message)} } },`,
    ...outline.results.flatMap((each) => createExpectation(each, message)),
    ']',
    '',
  ].join('\n')
}

/** A value in a text of the language. */
function spellValue(value: unknown, language: string): string {
  const text = String(value)
  return typeof value === 'boolean' && language === 'python'
    ? `${text.charAt(0).toUpperCase()}${text.slice(1)}`
    : text
}

function createExpectation({ name, type }: OutlineField, message: string): string[] {
  if (type === 'blob') return [`  { blob = { contains = ${formatTomlValue(message)} } },`]
  // Other names cannot be the path of a value.
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return []
  const value = formatTomlValue(RESULTS[type] ?? message)
  return [`  { result = { path = ${formatTomlValue(name)}, equals = ${value} } },`]
}
