// @module-tag slow
// @module-tag nightly
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { ExecuteParams } from '../../../src/core/methods/runtime-execute/definition.ts'
import { createExecutor } from '../../helpers/execute.ts'
import { createFolder, type Tree } from '../../helpers/skills.ts'

const TIMEOUT_MS = 120_000

async function runTypeScript(params: Partial<ExecuteParams>, tree?: Tree) {
  const repo = tree && realpathSync(createFolder(tree))
  const settings = repo && `[repositories]\nown = { path = ${JSON.stringify(repo)} }\n`
  const { run } = await createExecutor(settings)
  const repoId = repo && { repoId: 'own' }
  return await run({ runtime: 'typescript', outputMode: 'summary', ...repoId, ...params })
}

/** Each prints 42. */
const SYNTAX = {
  'an enum': 'enum A { B = 42 }\nconsole.log(A.B)',
  'a constant enum': 'const enum A { B = 42 }\nconsole.log(A.B)',
  'a namespace': 'namespace A.B { export const c = 42 }\nconsole.log(A.B.c)',
  'parameter properties':
    'class A { constructor(private readonly b: number) {} c() { return this.b } }\nconsole.log(new A(42).c())',
  'an import assignment': `import os = require('node:os')\nconsole.log(typeof os.cpus === 'function' ? 42 : 0)`,
  'a class decorator':
    'const d = (_: unknown, c: { kind: string }) => console.log(c.kind.length + 37)\n@d class A {}\nvoid A',
  'a method decorator':
    'const d = (f: () => number, _: unknown) => () => f() + 40\nclass A { @d b() { return 2 } }\nconsole.log(new A().b())',
  'an auto-accessor':
    'const d = (_: unknown, __: unknown) => ({ init: (v: number) => v + 40 })\nclass A { @d accessor b = 2 }\nconsole.log(new A().b)',
  'an auto-accessor without a decorator': 'class A { accessor b = 42 }\nconsole.log(new A().b)',
  'a declaration with using': '{ using a = { [Symbol.dispose]() { console.log(42) } }\nvoid a }',
  'a cast and types': 'const a: unknown = 42\nconsole.log(a as number satisfies number)',
}

describe('inline TypeScript runs', { timeout: TIMEOUT_MS }, () => {
  it.each(Object.entries(SYNTAX))('with %s', async (_, code) => {
    expect(await runTypeScript({ code })).toMatchObject({
      status: 'success',
      stdoutSummary: '42\n',
    })
  })

  it('with imports that are relative to the current folder, with and without extensions', async () => {
    const tree = {
      'src/a.ts': 'export interface A { b: number }\nexport enum C { D = 40 }',
      'src/b/index.ts': "import { C } from '../a.js'\nexport const b: number = C.D + 1",
      'src/c.mts': 'export default 1',
    }
    const code = `import { A, C } from './a'
import { b } from './b'
import c from './c.mjs'
import { C as D } from './a.ts'
const { C: E } = await import('./a')
const a: A = { b: b + c }
console.log(a.b, C === D, C === E, typeof require('node:fs').statSync, process.argv.slice(2))`
    const result = await runTypeScript({ code, relativeCwd: 'src', args: ['x'] }, tree)
    expect(result.stdoutSummary).toBe("42 true true function [ 'x' ]\n")
  })

  it('with the decorators that tsconfig.json selects', async () => {
    const code =
      'const d = (...a: unknown[]) => console.log(a.length)\nclass A { @d b() {} }\nvoid A'
    const old = { 'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } }' }
    expect((await runTypeScript({ code }, old)).stdoutSummary).toBe('3\n')
    expect((await runTypeScript({ code }, { 'tsconfig.json': '{}' })).stdoutSummary).toBe('2\n')
  })

  it('reports the lines of the source in errors', async () => {
    for (const decorator of ['', 'const d = (..._: unknown[]) => {}\n@d class A {}\nvoid A\n']) {
      const code = `enum B { C }\n${decorator}throw new Error(String(B.C))`
      const line = code.split('\n').length
      expect((await runTypeScript({ code })).stderrSummary).toContain(`main.mts:${line}`)
    }
    const broken = await runTypeScript({ code: 'enum A { B }\nconst a: = 1' })
    expect(broken.stderrSummary).toMatch(/main\.mts:2[^]*SyntaxError/)
    const decorated = await runTypeScript({ code: '@d class A {}\nconst a: = 1' })
    expect(decorated.stderrSummary).toMatch(/main\.mts:2[^]*SyntaxError/)
  })
})

describe('a TypeScript file as an argument runs', { timeout: TIMEOUT_MS }, () => {
  const tree = {
    'main.ts': `import { A } from './lib'
const d = (f: () => number, _: unknown) => () => f() + 1
class B { @d c() { return A.B } }
console.log(new B().c(), process.argv.slice(2), import.meta.url)`,
    'lib.ts': 'export enum A { B = 41 }',
    'old.ts': `const { readFileSync } = require('node:fs')
module.exports = { size: readFileSync(__filename).length > 0 ? 42 : 0 as number }
console.log(module.exports.size)`,
    'view.tsx': 'const React = { createElement: (...a: unknown[]) => a[0] }\nconsole.log(<b />)',
  }

  it('with imports, decorators and arguments', async () => {
    const result = await runTypeScript({ args: ['main.ts', 'x'] }, tree)
    expect(result.stdoutSummary).toBe("42 [ 'x' ] file:///repo/main.ts\n")
  })

  it('as CommonJS if it uses no module syntax, and with JSX', async () => {
    expect((await runTypeScript({ args: ['old.ts'] }, tree)).stdoutSummary).toBe('42\n')
    expect((await runTypeScript({ args: ['view.tsx'] }, tree)).stdoutSummary).toBe('b\n')
  })
})

describe('without esbuild', () => {
  it('a decorator is an error that names the package', async () => {
    const guest = '../../../src/guest/javascript/runtime/typescript-transform.mjs'
    const { initializeTransform, transformTypeScript } = (await import(guest)) as {
      initializeTransform(paths: { swc: string }): void
      transformTypeScript(text: string, how: { file: string; format: string }): string
    }
    const swc = createRequire(import.meta.url).resolve('@swc/wasm-typescript')
    initializeTransform({ swc })
    const how = { file: '/a.ts', format: 'module' }
    expect(transformTypeScript('enum A { B }', how)).toContain('A["B"]')
    expect(transformTypeScript('/**\n * @param a\n */\nlet a: number', how)).toContain('let a;')
    expect(() => transformTypeScript('@d class A {}', how)).toThrow('need the optional package')
  })
})
