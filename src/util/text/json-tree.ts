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

/** The first key that its object has already. */
export function findRepeatedKey(text: string): { name: string; offset: number } | undefined {
  const { visit } = require('jsonc-parser') as typeof import('jsonc-parser')
  const open: Set<string>[] = []
  let repeated: { name: string; offset: number } | undefined
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, offset) => {
      const names = open.at(-1)
      if (names?.has(name)) repeated ??= { name, offset }
      names?.add(name)
    },
  })
  return repeated
}
