import { EXAMPLE_BLOB, listExampleValues } from './example.ts'
import { completeOutline, type Outline } from './outline.ts'

/** File of a new skill with its first case. */
export const TEST_FILE = 'tests/example.test.toml'

/** Creates a case that makes the example call. */
export function createTestText(outline: Outline): string {
  const values = listExampleValues(outline)
  const blobs = completeOutline(outline).inputs.filter((each) => each.type === 'blob' && each.required)
  const files = Object.fromEntries(blobs.map(({ name }) => [name, EXAMPLE_BLOB]))
  return [
    '# Run with: skills test',
    '[[cases]]',
    'name = "example call"',
    ...(Object.keys(values).length > 0 ? [`args = ${formatTomlValue(values)}`] : []),
    ...(blobs.length > 0 ? [`blobs = ${formatTomlValue(files)}`] : []),
    'expect = [',
    '  { status = "completed" },',
    ...listResults(outline).map((name) => `  { result = { path = ${JSON.stringify(name)} } },`),
    ']',
    '',
  ].join('\n')
}

/** Results of the example call; one with a network is a dry run, which returns others. */
function listResults({ network, results }: Outline): string[] {
  if (network.length > 0) return []
  return results.map(({ name }) => name).filter((name) => /^[A-Za-z_][\w-]*$/.test(name))
}

/** Formats a value in one line. Strings of JSON are strings of TOML. */
function formatTomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} = ${formatTomlValue(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
