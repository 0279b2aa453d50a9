import { SkillsError } from '../../errors.ts'
import type { TomlSource } from '../skills/manifest/source.ts'

/** Path of a value in a policy file. */
export type PolicyPath = readonly (string | number)[]

/** Creates an error with its location in a policy file. */
export function createPolicyError(
  toml: TomlSource,
  { path, what = 'value' }: { path: PolicyPath; what?: 'key' | 'value' },
  { message, hint }: { message: string; hint?: string | undefined },
): SkillsError {
  const { start } = toml.problem ? toml.problem.span : toml.locate(path, what)
  const { line, column } = toLineAndColumn(toml.text, start)
  return new SkillsError('policy/invalid', `${toml.file}:${line}:${column}: ${message}`, {
    hint: hint ?? 'Type "skills schema policy" to see the valid settings',
    data: { file: toml.file, line, column },
  })
}

/** Formats `file:line`. */
export function formatPolicyLocation(toml: TomlSource, path: PolicyPath): string {
  return `${toml.file}:${toLineAndColumn(toml.text, toml.locate(path).start).line}`
}

function toLineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
