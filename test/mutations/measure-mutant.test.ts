// @module-tag slow
// @module-tag nightly
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createGitRepository } from '../helpers/git-repository.ts'
import { Checkout } from './checkout.ts'
import { ImportGraph } from './import-graph.ts'
import { listMutations } from './list-mutations.ts'
import { MutantMeasurement } from './measure-mutant.ts'

const test = (name: string, expected: number) => `import { expect, it } from 'vitest'
import { ${name} } from '../src/${name}.ts'
it('is a number', () => expect(${name}).toBe(${expected}))`

/** A project in which each source has one mutation: its number plus one. */
const PROJECT = {
  'package.json':
    '{ "name": "p", "type": "module", "exports": {}, "scripts": { "build": "mkdir dist" } }',
  'package-lock.json': '{}',
  'vitest.config.js': "export default { test: { tags: [{ name: 'slow' }] } }",
  'bin/p.js': '',
  'examples/a.js': '',
  'scripts/build-console.js': '',
  'scripts/bundle.js': `import { readFileSync } from 'node:fs'
    if (!readFileSync('src/built.ts', 'utf8').includes('1')) process.exitCode = 1`,
  'src/fast.ts': 'export const fast = 1',
  'src/slow.ts': 'export const slow = 1',
  'src/built.ts': 'export const built = 1',
  'src/unused.ts': 'export const unused = 1',
  'src/broken.ts': 'export const broken = 1',
  'test/fast.test.ts': test('fast', 1),
  'test/slow.test.ts': `// @module-tag slow\n${test('slow', 1)}`,
  'test/broken.test.ts': test('broken', 3),
}

it('a mutant counts as found only by a test that passes without the mutation', async () => {
  const { work, commit } = createGitRepository(PROJECT)
  symlinkSync(resolve('node_modules'), join(work, 'node_modules'))
  const checkout = new Checkout(work, commit({}))
  onTestFinished(() => checkout.remove())
  checkout.install()
  const measurement = new MutantMeasurement(checkout, new ImportGraph(checkout.root), {
    isFastOnly: false,
    tests: 10,
    minutes: 10,
    workers: 1,
  })
  const outcomes: Record<string, unknown> = {}
  for (const name of ['fast', 'slow', 'built', 'unused', 'broken']) {
    const file = `src/${name}.ts`
    const [mutation, ...others] = listMutations(file, checkout.read(file))
    expect(others).toEqual([])
    outcomes[name] = mutation && (await measurement.measure(mutation))
  }
  expect(outcomes).toEqual({
    fast: { outcome: 'fast', foundBy: 'test/fast.test.ts', ran: 1, reaching: 1 },
    slow: { outcome: 'slow', foundBy: 'test/slow.test.ts', ran: 1, reaching: 1 },
    built: { outcome: 'fast', foundBy: 'npm run build', ran: 0, reaching: 0 },
    unused: { outcome: 'survived', ran: 0, reaching: 0 },
    broken: { outcome: 'survived', ran: 0, reaching: 1 },
  })
  expect([...measurement.unusable]).toEqual(['test/broken.test.ts'])
}, 300_000)
