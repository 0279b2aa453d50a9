const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** "12 B", "3.4 MiB". */
export function formatBytes(bytes: number): string {
  let value = bytes
  let at = 0
  while (Math.abs(value) >= 1024 && at < BYTE_UNITS.length - 1) {
    value /= 1024
    at += 1
  }
  return `${at === 0 ? value : trimNumber(value)} ${BYTE_UNITS[at]}`
}

const DURATION_UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** "43 ms", "1.2 s", "3 min 5 s", "2 d 4 h": the largest two units. */
export function formatDuration(ms: number): string {
  const rounded = Math.round(ms)
  if (rounded < 1000) return `${rounded} ms`
  const at = DURATION_UNITS.findIndex(([, size]) => rounded >= size)
  const [unit, size] = DURATION_UNITS[at] ?? ['ms', 1]
  const smaller = DURATION_UNITS[at + 1]
  if (!smaller) return `${trimNumber(rounded / size)} ${unit}`
  const rest = Math.floor((rounded % size) / smaller[1])
  return `${Math.floor(rounded / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller[0]}`}`
}

/** Groups of three digits: "12,345". */
export function formatCount(value: number): string {
  return value.toLocaleString('en')
}

function trimNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toFixed(1)))
}
