import { listExampleBlobs, listExampleValues } from './example.ts'
import type { Outline } from './outline.ts'
import { formatTomlValue } from './toml-value.ts'

/** File of a new skill with its first case. */
export const TEST_FILE = 'tests/example.test.toml'

/** Creates a case that makes the example call. */
export function createTestText(outline: Outline): string {
  const values = listExampleValues(outline)
  const blobs = listExampleBlobs(outline)
  return [
    '# Run with: skills test',
    '[[cases]]',
    'name = "example call"',
    ...(Object.keys(values).length > 0 ? [`args = ${formatTomlValue(values)}`] : []),
    ...(Object.keys(blobs).length > 0 ? [`blobs = ${formatTomlValue(blobs)}`] : []),
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
