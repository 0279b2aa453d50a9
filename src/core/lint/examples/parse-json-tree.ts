import { createRequire } from 'node:module'
import type { Node, ParseError } from 'jsonc-parser'

const require = createRequire(import.meta.url)

/** Parses strict JSON with positions; errors are in the order of the text. */
export function parseJsonTree(text: string): {
  tree: Node | undefined
  errors: readonly ParseError[]
} {
  const { parseTree } = require('jsonc-parser') as typeof import('jsonc-parser')
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  return { tree, errors }
}
