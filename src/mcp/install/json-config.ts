import { createRequire } from 'node:module'
import type { Node, ParseError } from 'jsonc-parser'
import { SkillsError } from '../../errors.ts'

const require = createRequire(import.meta.url)

export type JsonObject = Readonly<Record<string, unknown>>

/** Matches clients that accept comments in JSON. */
const LENIENT = { allowTrailingComma: true, disallowComments: false }

export function findNode(text: string, path: string[]): Node | undefined {
  const { parseTree, findNodeAtLocation } = loadJsoncParser()
  const root = parseTree(text, [], LENIENT)
  return root && findNodeAtLocation(root, path)
}

export function parseJsonConfig(text: string, file: string): JsonObject {
  const { parse, printParseErrorCode } = loadJsoncParser()
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, LENIENT)
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    const problem = printParseErrorCode(error.error).replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    throw jsonConfigError(file, `line ${line}: ${problem.toLowerCase()}`)
  }
  if (!isJsonObject(value)) throw jsonConfigError(file, 'expected an object')
  return value
}

function loadJsoncParser(): typeof import('jsonc-parser') {
  return require('jsonc-parser') as typeof import('jsonc-parser')
}

export function readObjectAt(
  table: JsonObject,
  key: string,
  { file, path }: { file: string; path: string },
): JsonObject {
  const value = Object.hasOwn(table, key) ? table[key] : {}
  if (isJsonObject(value)) return value
  throw jsonConfigError(file, `expected "${path}" to be an object`)
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortJsonKeys(a)) === JSON.stringify(sortJsonKeys(b))
}

function sortJsonKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortJsonKeys)
  if (!isJsonObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sortJsonKeys(value[key])]))
}

export function jsonConfigError(file: string, reason: string): SkillsError {
  return new SkillsError('config/invalid', `"${file}" is not changed: ${reason}`, {
    hint: 'Fix the file first, or add --print to see the entry to add',
  })
}
