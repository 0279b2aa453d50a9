import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { parseBytes, parseDuration } from '../../util/quantity.ts'
import type { HourlyQuotas } from './hourly-quotas.ts'

/** Limits of one token, where they differ from those of the configuration. */
export interface CallerLimits {
  quotas: Partial<HourlyQuotas>
  /** Concurrent runs. */
  runs?: number | undefined
  callsPerSecond?: number | undefined
}

interface LimitField {
  expected: string
  parse: (text: string) => number | undefined
  set: (limits: CallerLimits, value: number) => void
}

const COUNT = { expected: 'a number such as 2', parse: parseCount }

/** Limits in a line of a token file, as `name=value`. */
const FIELDS: Readonly<Record<string, LimitField>> = {
  runs: { ...COUNT, set: (limits, value) => (limits.runs = value) },
  rate: { ...COUNT, set: (limits, value) => (limits.callsPerSecond = value) },
  cpu: {
    expected: 'a duration such as 10m',
    parse: parseDuration,
    set: ({ quotas }, value) => (quotas.cpuMs = value),
  },
  blobs: {
    expected: 'a size such as 1GiB',
    parse: parseBytes,
    set: ({ quotas }, value) => (quotas.blobBytes = value),
  },
  skills: { ...COUNT, set: ({ quotas }, value) => (quotas.skills = value) },
}

/** Parses the limits in a line of a token file. */
export function parseCallerLimits(words: readonly string[], location: string): CallerLimits {
  const limits: CallerLimits = { quotas: {} }
  const seen = new Set<string>()
  for (const word of words) {
    const [name = '', text = '', ...rest] = word.split('=')
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    if (!field || rest.length > 0 || !word.includes('=')) throw unknownLimitError(name, location)
    if (seen.has(name)) throw limitError(`The limit "${name}" in ${location} is set twice`)
    seen.add(name)
    const value = field.parse(text)
    if (value === undefined || value <= 0) {
      throw limitError(`Expected ${field.expected} for "${name}" in ${location}`)
    }
    field.set(limits, value)
  }
  return limits
}

function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** The message omits the rest of the word, which may be a token in the wrong column. */
function unknownLimitError(name: string, location: string): SkillsError {
  const nearest = findNearest(name, Object.keys(FIELDS))
  const known = `Expected limits such as cpu=10m in ${location}: ${Object.keys(FIELDS).join(', ')}`
  return limitError(nearest === undefined ? known : `${known}; did you mean "${nearest}"?`)
}

function limitError(message: string): SkillsError {
  return new SkillsError('usage/invalid', message, {
    hint: 'Write lines such as: <token> name read,run runs=2 cpu=10m',
  })
}
