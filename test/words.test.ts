import { describe, expect, it } from 'vitest'
import { countComments, readDeclarations } from '../scripts/words/read-source.ts'

describe('the check of words', () => {
  it('reads every comment line of TypeScript, and which of them opens a comment', () => {
    const source = [
      '/** Opens a block',
      ' * and goes on. */',
      'const text = "// in a string"',
      '  // One line',
      '  // and the next.',
      'call() // trailing',
    ].join('\n')
    expect(countComments('a.ts', source)).toEqual([
      { text: 'Opens a block', line: 1, isFirst: true },
      { text: 'and goes on.', line: 2, isFirst: false },
      { text: 'One line', line: 4, isFirst: true },
      { text: 'and the next.', line: 5, isFirst: false },
    ])
  })

  it('reads comments and docstrings of Python', () => {
    const source =
      '#!/usr/bin/env python3\n"""A docstring."""\ndef call():\n    # A comment\n    pass'
    expect(countComments('a.py', source).map(({ text }: { text: string }) => text)).toEqual([
      'A docstring.',
      'A comment',
    ])
  })

  it('reads functions and types at the top level', () => {
    const source = [
      'export async function readName() {',
      '  function inner() {}',
      'const toText = (value: unknown) => String(value)',
      'const LIMIT = 5',
      'export interface Name {',
      'class Names {',
      'export type Names2 = Name',
    ].join('\n')
    expect(readDeclarations('a.ts', source)).toEqual([
      { kind: 'function', name: 'readName' },
      { kind: 'private function', name: 'toText' },
      { kind: 'type', name: 'Name' },
      { kind: 'type', name: 'Names' },
      { kind: 'type', name: 'Names2' },
    ])
  })
})
