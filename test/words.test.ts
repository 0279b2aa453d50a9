import { describe, expect, it } from 'vitest'
import { checkWords } from '../scripts/words/check-words.ts'
import { countComments, readDeclarations } from '../scripts/words/read-source.ts'
import { createFolder } from './helpers/skills.ts'

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

  it('finds nothing in plain source, and each kind of violation where it is planted', () => {
    const plain = '/** Reads a name. */\nfunction readName() {}\nexport interface Name {}\n'
    const exceeded = (tree: Record<string, string>) =>
      checkWords(createFolder(tree))
        .filter(({ found, limit }) => found.length > limit)
        .map(({ what }) => what.replace(/ .*/s, ''))
    expect(exceeded({ 'a.ts': plain })).toEqual([])
    expect(exceeded({ 'a.ts': '// It was told so.\n'.repeat(10) })).toEqual([])
    expect(exceeded({ 'a.ts': '// It was told so.\n'.repeat(11) })).toEqual(['comment'])
    expect(exceeded({ 'a.ts': '/** What is read. */\n' })).toEqual(['comments'])
    expect(exceeded({ 'a.ts': 'export function nameOf() {}\n' })).toEqual(['functions'])
    expect(exceeded({ 'a.ts': plain, 'b.ts': 'export type Name = string\n' })).toEqual(['type'])
    const helper = 'function readName() {}\n'
    expect(exceeded({ 'a.ts': helper, 'b.ts': helper })).toEqual([])
    expect(exceeded({ 'a.ts': helper, 'b.ts': helper, 'c.ts': helper })).toEqual(['private'])
  })
})
