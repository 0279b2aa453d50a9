import * as acorn from 'acorn'
import { describe, expect, it } from 'vitest'
import {
  createNodeBuffer,
  createPythonBuffer,
  type StatementBuffer,
} from '../../../src/cli/repl/statement-buffer.ts'

function split(buffer: StatementBuffer, text: string): string[] {
  return [...text.split('\n').flatMap((line) => buffer.push(line)), ...buffer.finish()]
}

describe('lines of Python', () => {
  it.each([
    ['x = 1\ny', ['x = 1', 'y']],
    ['f(1,\n  2)\ny', ['f(1,\n  2)', 'y']],
    ['s = """a\n\nb"""\ny', ['s = """a\n\nb"""', 'y']],
    ["s = 'it(' # [\ny", ["s = 'it(' # [", 'y']],
    ['x = 1 + \\\n  2\ny', ['x = 1 + \\\n  2', 'y']],
    ['if a:\n  b\nelse:\n  c\nd', ['if a:\n  b\nelse:\n  c', 'd']],
    ['def f():\n  a\n\n  b\nf()', ['def f():\n  a\n\n  b', 'f()']],
    ['@cache\ndef f():\n  a\nf()', ['@cache\ndef f():\n  a', 'f()']],
    ['for i in a: b\nc', ['for i in a: b', 'c']],
    [
      'try:\n  a\nexcept E:\n  b\nfinally:\n  c\nd',
      ['try:\n  a\nexcept E:\n  b\nfinally:\n  c', 'd'],
    ],
    ['match = 1\nmatch', ['match = 1', 'match']],
    ['match x:\n  case 1:\n    a\nb', ['match x:\n  case 1:\n    a', 'b']],
    ['async def f():\n  a\nawait f()', ['async def f():\n  a', 'await f()']],
    ['\n\nx\n\n', ['x']],
    ['f(1', ['f(1']],
  ])('in a pipe, %j are statements', (text, statements) => {
    expect(split(createPythonBuffer(false), text)).toEqual(statements)
  })

  it('on a terminal, an empty line ends a block', () => {
    const buffer = createPythonBuffer(true)
    expect(['if a:', '  b'].flatMap((line) => buffer.push(line))).toEqual([])
    expect(buffer.isOpen).toBe(true)
    expect(buffer.push('')).toEqual(['if a:\n  b'])
    expect(buffer.push('c')).toEqual(['c'])
    expect(buffer.isOpen).toBe(false)
  })

  it('are dropped on request', () => {
    const buffer = createPythonBuffer(true)
    buffer.push('f(')
    buffer.clear()
    expect(buffer.push('x')).toEqual(['x'])
  })
})

describe('lines of Node', () => {
  it.each([
    ['const x = 1\nx', ['const x = 1', 'x']],
    ['function f() {\n  return 1\n}\nf()', ['function f() {\n  return 1\n}', 'f()']],
    ['`a\nb`\nc', ['`a\nb`', 'c']],
    ['/* a\nb */ c', ['/* a\nb */ c']],
    ['await f(\n1)', ['await f(\n1)']],
    ['import a from "a"\na', ['import a from "a"', 'a']],
    ['x y\nz', ['x y', 'z']],
    ['"a\nb', ['"a', 'b']],
    ['f(', ['f(']],
  ])('%j are statements', (text, statements) => {
    expect(split(createNodeBuffer(acorn), text)).toEqual(statements)
  })
})
