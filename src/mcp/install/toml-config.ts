import { createRequire } from 'node:module'
import { SkillsError } from '../../errors.ts'

const require = createRequire(import.meta.url)

export type TomlTable = Readonly<Record<string, unknown>>

/** An inline table cannot be extended by a later table. */
export function parsesTo(text: string, expected: TomlTable): boolean {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  try {
    return JSON.stringify(sortTomlKeys(parse(text))) === JSON.stringify(sortTomlKeys(expected))
  } catch {
    return false
  }
}

export function parseTomlConfig(text: string, file: string): TomlTable {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  try {
    return parse(text)
  } catch (thrown) {
    const { line, message } = thrown as { line?: number; message: string }
    const reason = message.split('\n')[0]?.replace(/^Invalid TOML document: /, '')
    throw tomlConfigError(file, `line ${line ?? '?'}: ${reason ?? 'invalid TOML'}`)
  }
}

export function isTomlTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortTomlKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortTomlKeys)
  if (typeof value === 'bigint') return String(value)
  if (!isTomlTable(value) || value instanceof Date) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sortTomlKeys(value[key])]))
}

export function tomlConfigError(file: string, problem: string): SkillsError {
  return new SkillsError('config/invalid', `"${file}" is not changed: ${problem}`, {
    hint: 'Fix the file first, or add --print to see the entry to add',
  })
}
