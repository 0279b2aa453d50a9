import type { Plain } from './manifest.ts'

/** A number that TOML and YAML can represent and JSON cannot. */
interface NonFiniteNumber {
  path: readonly string[]
  /** The number in TOML syntax. */
  written: string
}

/** Finds `inf` and `nan`, up to a maximum number. */
export function findNonFiniteNumbers(data: Plain, max = 20): NonFiniteNumber[] {
  const found: NonFiniteNumber[] = []
  visit(data, [])
  return found

  function visit(value: Plain, path: readonly string[]): void {
    if (found.length >= max) return
    if (typeof value === 'number' && !Number.isFinite(value)) {
      found.push({ path, written: formatNonFinite(value) })
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) visit(each, [...path, key])
    }
  }
}

/** Formats a value for messages; JSON would turn `inf` into null. */
export function formatManifestValue(value: Plain | undefined): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return formatNonFinite(value)
  return JSON.stringify(value) ?? 'nothing'
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}
