const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

/** "3 min ago"; "now" for less than a second. */
export function formatRelativeTime(time: string, now: number): string {
  const ms = Date.parse(time) - now
  if (Number.isNaN(ms)) return time
  for (const [unit, size] of STEPS) {
    if (Math.abs(ms) >= size) return RELATIVE.format(Math.trunc(ms / size), unit)
  }
  return 'now'
}

/** Date, time with milliseconds, and offset of the reader's own zone. */
export function formatExactTime(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  const pad = (value: number, length = 2) => String(value).padStart(length, '0')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
  const offset = -date.getTimezoneOffset()
  const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`
  return `${day} ${clock}.${pad(date.getMilliseconds(), 3)} ${zone}`
}
