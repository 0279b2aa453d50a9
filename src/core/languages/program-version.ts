const VERSION = /\d+(?:\.\d+)+[\w.+-]*/
const MAX_LENGTH = 60

/** Extracts the version from a program's output; without one, the first non-blank line. */
export function readVersion(text: string): string {
  const match = VERSION.exec(text)?.[0]
  const line = text.split('\n').find((each) => each.trim() !== '') ?? ''
  return (match ?? line.trim()).slice(0, MAX_LENGTH)
}

/** True if a version is `minimum` or newer. Missing numbers count as 0. */
export function isAtLeast(version: string, minimum: string): boolean {
  const numbers = parseNumbers(version)
  for (const [index, required] of parseNumbers(minimum).entries()) {
    const actual = numbers[index] ?? 0
    if (actual !== required) return actual > required
  }
  return true
}

function parseNumbers(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number)
}
