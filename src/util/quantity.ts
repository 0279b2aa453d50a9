const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  min: 60_000,
}

const DURATION_NAMES = [
  ['d', 'day'],
  ['h', 'hour'],
  ['m', 'minute'],
  ['s', 'second'],
] as const

const BYTE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  byte: 1,
  bytes: 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  tb: 1000 ** 4,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** Parses `500ms`, `30s`, `5m`, `2h`, `7d` or a plain number of milliseconds. */
export function parseDuration(text: string): number | undefined {
  return parseQuantity(text, DURATION_UNITS, 'ms')
}

/** Parses the value of an option to milliseconds. A plain number is a number of seconds. */
export function parseDurationOption(text: string): number | undefined {
  return parseQuantity(text, DURATION_UNITS, 's')
}

/** Parses `512MiB`, `64m`, `10 MB`, `1GiB` or a plain number to bytes. */
export function parseBytes(text: string): number | undefined {
  return parseQuantity(text, BYTE_UNITS, 'b')
}

function parseQuantity(
  text: string,
  units: Readonly<Record<string, number>>,
  bare: string,
): number | undefined {
  const match = /^\s*(\d{1,16}(?:\.\d{1,6})?)\s*([a-z]*)\s*$/i.exec(text)
  if (!match) return undefined
  const unit = units[match[2]?.toLowerCase() || bare]
  if (unit === undefined) return undefined
  const value = Math.round(Number(match[1]) * unit)
  return Number.isSafeInteger(value) ? value : undefined
}

/** Lossless duration for people: `90s`, `5m`, `1500ms`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = DURATION_UNITS[unit] as number
    if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}

/** Lossless duration in a sentence: `2 seconds`, `1500 ms`. */
export function spellDuration(ms: number): string {
  for (const [unit, name] of DURATION_NAMES) {
    const count = ms / (DURATION_UNITS[unit] as number)
    if (ms > 0 && Number.isInteger(count)) return `${count} ${name}${count === 1 ? '' : 's'}`
  }
  return `${ms} ms`
}

/** Lossless size of a limit: `64 MiB`, `64 MB` if it was set in powers of ten, `1234 bytes`. */
export function formatByteLimit(bytes: number): string {
  const binary = formatBytes(bytes)
  if (bytes < 1000 || parseBytes(binary) === bytes) return binary
  const unit = ['TB', 'GB', 'MB', 'KB'].find((each) => bytes % getByteUnit(each) === 0)
  return unit === undefined ? `${bytes} bytes` : `${bytes / getByteUnit(unit)} ${unit}`
}

function getByteUnit(unit: string): number {
  return BYTE_UNITS[unit.toLowerCase()] as number
}

/** Size for people, at most one decimal: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  const shown = unit === 0 || Number.isInteger(value) ? String(value) : value.toFixed(1)
  return bytes === 1 ? '1 byte' : `${shown} ${units[unit]}`
}
/** `1 blob`, `2 blobs`. */
export function formatPlural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
