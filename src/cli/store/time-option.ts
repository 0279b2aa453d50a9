import { SkillsError } from '../../errors.ts'
import { parseDuration } from '../../util/quantity.ts'
import { getTextOption, type CommandLine } from '../command.ts'

/** Reads a date, a time, or a duration before now, in milliseconds since 1970. */
export function readTimeOption(
  call: CommandLine,
  name: string,
  now: number = Date.now(),
): number | undefined {
  const text = getTextOption(call, name)
  if (text === undefined) return undefined
  const ago = /^\d+(?:\.\d+)?\s*[a-z]+$/i.test(text) ? parseDuration(text) : undefined
  if (ago !== undefined) return now - ago
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  const message = `Expected a date or a duration for --${name}, got "${text}"`
  throw new SkillsError('usage/invalid', message, {
    hint: `Write it as --${name} 2026-11-21, --${name} 2026-11-21T08:00:00Z or --${name} 2h`,
  })
}
