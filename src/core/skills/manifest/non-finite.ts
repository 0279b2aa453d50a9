import type { Plain } from './manifest.ts'

/** A number that JSON cannot carry, where TOML and YAML can. */
interface NonFiniteNumber {
  path: readonly string[]
  /** As TOML writes it. */
  written: string
}

/** Finds `inf` and `nan`; the first few are enough for a complaint. */
export function findNonFiniteNumbers(data: Plain, most = 20): NonFiniteNumber[] {
  const found: NonFiniteNumber[] = []
  look(data, [])
  return found

  function look(value: Plain, path: readonly string[]): void {
    if (found.length >= most) return
    if (typeof value === 'number' && !Number.isFinite(value)) {
      found.push({ path, written: formatNonFinite(value) })
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) look(each, [...path, key])
    }
  }
}

/** A value as it is quoted in messages; JSON would turn `inf` into null. */
export function formatValue(value: Plain | undefined): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return formatNonFinite(value)
  return JSON.stringify(value) ?? 'nothing'
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}
