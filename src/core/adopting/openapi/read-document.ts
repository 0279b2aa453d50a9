import { createRequire } from 'node:module'
import { SkillsError } from '../../../errors.ts'

export type ApiObject = { readonly [key: string]: unknown }

/** Limit on documents, in bytes: the largest public ones have about 12 MiB. */
export const MAX_DOCUMENT = 16 * 1024 ** 2
const MAX_REFS = 32
const require = createRequire(import.meta.url)

/** Parses an OpenAPI document of version 3.0 or 3.1, as JSON or YAML. */
export function readApiDocument(text: string, name: string): ApiObject {
  const document = toObject(parseText(text, name))
  if (document['swagger'] !== undefined) {
    throw invalidDocument(
      `"${name}" is a Swagger 2 document`,
      'Convert it to OpenAPI 3, such as with "npx swagger2openapi"',
    )
  }
  const version = typeof document['openapi'] === 'string' ? document['openapi'] : ''
  if (/^3\.[01]\.\d+/.test(version)) return document
  if (/^\d+(?:\.\d+)*$/.test(version)) {
    throw invalidDocument(
      `"${name}" is an OpenAPI document of version ${version}, expected 3.0 or 3.1`,
      'Convert it to version 3.1',
    )
  }
  throw invalidDocument(
    `"${name}" is not an OpenAPI document of version 3.0 or 3.1`,
    'Its first key is "openapi", with a value such as "3.1.0"',
  )
}

function parseText(text: string, name: string): unknown {
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text)
    const { parse } = require('yaml') as typeof import('yaml')
    // A document of few lines can have many megabytes of aliases.
    return parse(text, { maxAliasCount: 100, uniqueKeys: false, logLevel: 'error' })
  } catch (thrown) {
    const [reason] = (thrown as Error).message.split('\n')
    throw invalidDocument(
      `"${name}" cannot be parsed: ${reason?.slice(0, 200)}`,
      'Check it as JSON or YAML',
    )
  }
}

export function invalidDocument(message: string, hint: string): SkillsError {
  return new SkillsError('skill/invalid', message, { hint })
}

export function toObject(value: unknown): ApiObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as ApiObject)
    : {}
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The object that a `$ref` names; only this document is read. */
export function resolveRef(document: ApiObject, value: unknown): ApiObject {
  let found = toObject(value)
  for (let steps = 0; typeof found['$ref'] === 'string'; steps++) {
    const ref = found['$ref']
    if (!ref.startsWith('#/')) {
      throw invalidDocument(
        `The reference "${ref.slice(0, 100)}" leads out of the document`,
        'Bundle the document into one file, such as with "npx @redocly/cli bundle"',
      )
    }
    if (steps === MAX_REFS) {
      throw invalidDocument(
        `The reference "${ref.slice(0, 100)}" leads to itself`,
        'Remove the cycle',
      )
    }
    found = toObject(followPointer(document, ref))
  }
  return found
}

function followPointer(document: ApiObject, ref: string): unknown {
  let found: unknown = document
  for (const part of ref.slice(2).split('/')) {
    const key = decodePart(part)
    const holder: ApiObject = Array.isArray(found)
      ? Object.fromEntries(found.entries())
      : toObject(found)
    found = Object.hasOwn(holder, key) ? holder[key] : undefined
  }
  if (found !== undefined) return found
  throw invalidDocument(`The reference "${ref.slice(0, 100)}" leads nowhere`, 'Add its target')
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
