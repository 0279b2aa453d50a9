import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'

/** Reads a whole number above 0. */
export function readCountOption(call: CommandLine, name: string, fallback: number): number {
  const text = getTextOption(call, name)
  if (text === undefined) return fallback
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw new SkillsError(
    'usage/invalid',
    `Expected a whole number above 0 for --${name}, got "${text}"`,
    {
      hint: `Write it as --${name} 20`,
    },
  )
}
