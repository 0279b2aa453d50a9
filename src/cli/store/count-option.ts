import { SkillsError } from '../../errors.ts'
import { textOption, type Call } from '../command.ts'

/** A whole number above 0. */
export function countOption(call: Call, name: string, fallback: number): number {
  const text = textOption(call, name)
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
