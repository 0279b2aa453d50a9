import { createRequire } from 'node:module'
import type { Node } from 'jsonc-parser'
import type { SuiteDocument } from '../../core/testing/document/suite-document.ts'
import { findDeepNesting } from '../../core/skills/manifest/nesting.ts'
import type { Plain, Span } from '../../core/skills/manifest/source.ts'
import { findRepeatedKey, parseJsonTree } from '../../util/text/json-tree.ts'

const require = createRequire(import.meta.url)

/** A parsed JSON file, whose top may be a list. */
export interface JsonDocument extends SuiteDocument {
  value: Plain
}

/** Longer files are refused before they are parsed. */
const MAX_LENGTH = 1024 * 1024

/** Parses strict JSON with positions: comments, trailing commas and repeated keys are errors. */
export function readJsonDocument(text: string): JsonDocument {
  if (text.length > MAX_LENGTH) {
    return refuse(text, `The file has ${text.length} characters, expected at most ${MAX_LENGTH}`)
  }
  const deep = findDeepNesting(text)
  if (deep !== undefined) return refuse(text, 'The file is nested too deeply', deep)
  const json = require('jsonc-parser') as typeof import('jsonc-parser')
  const { tree, errors } = parseJsonTree(text)
  const [error] = errors
  if (error || !tree) {
    const reason = error ? json.printParseErrorCode(error.error) : 'ValueExpected'
    return refuse(text, `The file is not valid JSON (${reason})`, error?.offset)
  }
  const repeated = findRepeatedKey(text)
  if (repeated) return refuse(text, `The key "${repeated.name}" is written twice`, repeated.offset)
  const value = JSON.parse(text) as Plain
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return {
    text,
    value,
    data: isObject ? value : {},
    problem: undefined,
    locate(path, what = 'value') {
      for (let length = path.length; length > 0; length--) {
        const node = json.findNodeAtLocation(tree, path.slice(0, length))
        if (!node) continue
        const key = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined
        return getNodeSpan(what === 'key' || length < path.length ? (key ?? node) : node)
      }
      return { start: tree.offset, end: tree.offset + 1 }
    },
  }
}

// eslint-disable-next-line max-params -- the text, the message and its position
function refuse(text: string, message: string, start = 0): JsonDocument {
  const span = { start, end: start + 1 }
  return { text, value: null, data: {}, problem: { message, span }, locate: () => span }
}

function getNodeSpan({ offset, length }: Node): Span {
  return { start: offset, end: offset + length }
}
