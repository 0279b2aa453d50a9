import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'
import { groupByArea } from './areas.ts'
import { chooseMutations } from './choose-mutations.ts'
import { ImportGraph } from './import-graph.ts'
import { applyEdit, listMutations, type Mutation } from './list-mutations.ts'
import { OPERATORS } from './operators.ts'
import { formatReport } from './report.ts'
import { isOtherProgram } from './syntax.ts'

const FILE = 'src/a.ts'

/** Texts after each mutation with an operator. */
function mutate(source: string, operator: string): string[] {
  const mutations = listMutations(FILE, source).filter((each) => each.operator === operator)
  return mutations.map((mutation) => applyEdit(source, mutation))
}

const CHANGES: [operator: string, source: string, expected: string[]][] = [
  ['negate condition', 'if (a) f()', ['if (!(a)) f()']],
  ['negate condition', 'const b = a ? 1 : 2', ['const b = !(a) ? 1 : 2']],
  ['change limit', 'f(a < b, a >= b)', ['f(a <= b, a >= b)', 'f(a < b, a > b)']],
  ['change logic', 'f((a) && (b))', ['f((a) || (b))']],
  ['change equality', "f('é', a === b)", ["f('é', a !== b)"]],
  [
    'drop call',
    'if (a) await f(); else b?.g()',
    ['if (a) ; else b?.g()', 'if (a) await f(); else ;'],
  ],
  ['return early', 'function f() { g() }', ['function f() { return undefined; g() }']],
  ['return early', 'const f = () => ({ a })', ['const f = () => (undefined)']],
  ['add one', 'f(-1, 0x10)', ['f(-2, 0x10)', 'f(-1, 17)']],
  ['empty text', "f('a')", ["f('')"]],
  ['drop element', 'f([a, b], [c])', ['f([a], [c])', 'f([a, b], [])']],
  ['flip boolean', 'f(true)', ['f(false)']],
]

it.each(CHANGES)('the operator "%s" changes %j', (operator, source, expected) => {
  expect(mutate(source, operator)).toEqual(expected)
})

it.each([
  [
    'types',
    "type A = 'a' | 1; let b: 'c' | true; function f(c: 2): c is 2; declare const d: [1, 2]",
  ],
  [
    'modules',
    "import a from 'a'; export { b } from 'b'; export * from 'c'; await import('d'); f('./e')",
  ],
  ['messages', "throw new E('a', 1); const b = { hint: 'c' }; new TypeError('d', true); f('e f')"],
  ['names of properties', "const { a } = { 'a': b, 1: c }"],
  ['comments', 'a /* && */ && b // f(1)'],
  ['functions that return nothing', 'function f() { return }; function g() {}; () => undefined'],
])('%s are not mutated', (_, source) => {
  expect(listMutations(FILE, source).filter(({ operator }) => operator !== 'drop call')).toEqual([])
})

it('each operator is tried here', () => {
  const tried = CHANGES.map(([operator]) => operator)
  expect([...new Set(tried)]).toEqual(Object.keys(OPERATORS))
})

it('each mutation of a file of this project is another valid program', () => {
  const file = 'src/core/policy/evaluate-policy.ts'
  const source = readFileSync(file, 'utf8')
  const mutations = listMutations(file, source)
  const isOther = (mutation: Mutation) => isOtherProgram(file, source, applyEdit(source, mutation))
  expect(mutations.length).toBeGreaterThan(50)
  expect(mutations.filter((mutation) => !isOther(mutation))).toEqual([])
})

it('a change of layout, comments or quotes is not another program', () => {
  expect(isOtherProgram(FILE, "f('a')", 'f("a") // b')).toBe(false)
  expect(isOtherProgram(FILE, "f('a')", 'f("b")')).toBe(true)
  expect(isOtherProgram(FILE, "f('a')", 'f(')).toBe(false)
})

const SOURCES = new Map([
  ['src/a.ts', 'export const a = (b) => b < 3 && !c(b) ? [1, 2] : true'],
  ['src/b.ts', "export function d(e) { if (e === 'f') g(); return false }"],
])

it('a seed chooses the same mutations of the same sources, of different files and operators', () => {
  const choose = (seed: number) => chooseMutations(SOURCES, { seed, count: 2 })
  expect(choose(7)).toEqual(choose(7))
  const choices = Array.from({ length: 20 }, (_, seed) => choose(seed))
  for (const [first, second] of choices) {
    expect(first?.file).not.toBe(second?.file)
    expect(first?.operator).not.toBe(second?.operator)
  }
  expect(new Set(choices.map((choice) => JSON.stringify(choice))).size).toBeGreaterThan(5)
})

it('all mutations are chosen if fewer than the wanted number exist', () => {
  const count = [...SOURCES].flatMap(([file, source]) => listMutations(file, source)).length
  expect(new Set(chooseMutations(SOURCES, { seed: 1, count: 1000 })).size).toBe(count)
})

it('the same change of the same line has one key wherever the line is, and equal lines have different keys', () => {
  const before = listMutations(FILE, 'f(true)\nf(true)').map(({ key }) => key)
  const after = listMutations(FILE, 'g()\n\n  f(true)\nf(true)').map(({ key }) => key)
  expect(new Set(before).size).toBe(before.length)
  expect(after).toEqual(expect.arrayContaining(before))
})

it('folders of src and src/core are areas, and small ones share one', () => {
  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`)
  const all = [
    ...files('src/cli/lint', 30),
    ...files('src/core/audit', 30),
    ...files('src/core/git', 2),
    ...files('src/rpc', 2),
    'src/index.ts',
    'src/core/runtime.ts',
  ]
  const sizes = [...groupByArea(all)].map(([area, { length }]) => [area, length])
  expect(sizes).toEqual([
    ['cli', 30],
    ['core/audit', 30],
    ['core', 3],
    ['src', 3],
  ])
})

const TREE = {
  'package.json':
    '{"name":"skills-protocol","exports":{"./client":{"default":"./dist/bundle/client/index.js"}}}',
  'bin/p.js': "import('../dist/bundle/main.js')",
  'scripts/a.ts': '',
  'examples/a.ts': "import 'skills-protocol/client'",
  'src/cli/main.ts': "const load = () => import('../core/a.ts')",
  'src/client/index.ts': "export * from '../core/a.ts'",
  'src/core/a.ts': '',
  'test/core/far.test.ts': "new Worker(new URL('./worker.ts', import.meta.url))",
  'test/core/worker.ts': "import { a } from '../../src/client/index.ts'",
  'test/core/types.test.ts': "import type { A } from '../../src/core/a.ts'",
  'test/cli/program.test.ts': "spawn(join(ROOT, 'bin/p.js'))",
  'test/core/z.test.ts': "import '../../src/core/a.ts'",
  'test/client/a.test.ts': "import { a } from '../../src/core/a.ts'",
  'test/core/slow.test.ts':
    "// @module-tag root\n// @module-tag slow\nimport '../../src/core/a.ts'",
  'test/examples/a.test.ts': "import '../../examples/a.ts'",
}

it('tests that load or start a file are listed, nearest first, slow ones apart, importers of types not at all', () => {
  const root = createFolder(TREE)
  expect(new ImportGraph(root).listTests('src/core/a.ts')).toEqual({
    fast: [
      'test/core/z.test.ts',
      'test/client/a.test.ts',
      'test/core/far.test.ts',
      'test/cli/program.test.ts',
      'test/examples/a.test.ts',
    ],
    slow: ['test/core/slow.test.ts'],
  })
})

it('the report counts mutants that both commits have, and lists those that survived at each', () => {
  const mutation = { file: FILE, operator: 'flip boolean', line: 3, before: 'true', after: 'false' }
  const mutants = ['cli', 'cli', 'mcp'].map((area) => ({
    area,
    mutation: { ...mutation, start: 0, end: 4, key: '' },
  }))
  const found = { outcome: 'fast', foundBy: 'test/a.test.ts', ran: 1, reaching: 2 } as const
  const survived = { outcome: 'survived', ran: 1, reaching: 2 } as const
  const absent = { outcome: 'absent', ran: 0, reaching: 0 } as const
  const current = { commit: 'aaaaaaaaaa', results: [found, survived, found], unusable: [] }
  const base = { commit: 'bbbbbbbbbb', results: [found, absent, survived], unusable: ['test/b.ts'] }
  expect(formatReport(mutants, [current, base]).replaceAll(/ {2,}/g, ' ')).toBe(
    [
      ' aaaaaaaa bbbbbbbb',
      'area mutants fast slow survived fast slow survived',
      'cli 1 1 0 0 1 0 0',
      'mcp 1 1 0 0 0 0 1',
      'total 2 2 0 0 1 0 1',
      '1 more are not counted: the base does not have their lines.',
      '',
      'Survived at aaaaaaaa:',
      ' src/a.ts:3 flip boolean: true → false (survived 1 of 2 test files that reach it)',
      '',
      'Survived at bbbbbbbb:',
      ' src/a.ts:3 flip boolean: true → false (survived 1 of 2 test files that reach it)',
      '',
      'Not used, because they fail without a mutation:',
      ' test/b.ts',
      '',
    ].join('\n'),
  )
})
