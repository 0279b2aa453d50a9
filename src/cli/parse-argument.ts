import { SkillsError } from '../errors.ts'
import type { InputType, Plain } from '../core/skills/manifest/manifest.ts'

/** Parses `--arg key=text` as the type that the skill declares; undeclared inputs are text. */
export function parseArgument(key: string, text: string, type: InputType | undefined): Plain {
  switch (type) {
    case 'integer':
      return requireParsed(key, text, { expected: 'an integer', value: parseInteger(text) })
    case 'number':
      return requireParsed(key, text, { expected: 'a number', value: parseNumber(text) })
    case 'boolean':
      return requireParsed(key, text, { expected: 'true or false', value: parseBoolean(text) })
    case 'object':
      return requireParsed(key, text, {
        expected: 'a JSON object',
        value: parseJson(text, isPlainObject),
      })
    case 'array':
      return requireParsed(key, text, {
        expected: 'a JSON array',
        value: parseJson(text, Array.isArray),
      })
    case 'any':
      return parseJson(text, () => true) ?? text
    default:
      return text
  }
}

function requireParsed(
  key: string,
  text: string,
  { expected, value }: { expected: string; value: Plain | undefined },
): Plain {
  if (value !== undefined) return value
  throw new SkillsError('usage/invalid', `Expected ${expected} for "${key}", got "${text}"`, {
    hint: 'Type "skills describe <skill>" to see the inputs',
  })
}

function parseInteger(text: string): number | undefined {
  const value = Number(text)
  return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) ? value : undefined
}

function parseNumber(text: string): number | undefined {
  const value = Number(text)
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(value)
    ? value
    : undefined
}

function parseBoolean(text: string): boolean | undefined {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
}

function parseJson(text: string, fits: (value: Plain) => boolean): Plain | undefined {
  try {
    const value = JSON.parse(text) as Plain
    return fits(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isPlainObject(value: Plain): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
