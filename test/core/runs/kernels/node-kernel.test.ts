// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { openKernels } from './in-kernel.ts'

describe('a kernel of Node', () => {
  it('keeps names, which later cells may declare again', async () => {
    const { node } = await openKernels()
    await node('const x = 1; let y = 2; class K { n = 3 }; function f() { return x + y }')
    expect((await node('const x = 40; f() + new K().n - 3')).output).toBe(42)
    expect((await node('class K {}; let y; const x = "again"; x')).output).toBe('again')
  })

  it('awaits at the top level', async () => {
    const { node } = await openKernels()
    await node('const { a } = await new Promise((done) => setTimeout(done, 20, { a: 5 }))')
    expect((await node('await Promise.resolve(a)')).output).toBe(5)
    expect((await node('await Promise.reject(new TypeError("no"))')).error).toMatchObject({
      type: 'TypeError',
      message: 'no',
    })
  })

  it('returns values as JSON and as Node shows them', async () => {
    const { node } = await openKernels()
    expect(await node('({ a: [1] })')).toMatchObject({
      output: { a: [1] },
      kernel: { value: '{ a: [ 1 ] }' },
    })
    const map = await node('new Map([[1, 2]])')
    expect(map).toMatchObject({ output: null, kernel: { value: 'Map(1) { 1 => 2 }' } })
    expect((await node('let z')).kernel).not.toHaveProperty('value')
  })

  it('imports modules with declarations, calls and require', async () => {
    const { node } = await openKernels()
    await node('import fs, { sep as s } from "node:path"\nimport * as all from "node:path"')
    expect((await node('[s, all.sep, fs.sep].join("")')).output).toBe('///')
    expect((await node('(await import("node:os")).EOL + require("node:os").EOL')).output).toBe(
      '\n\n',
    )
    await node('require("fs").writeFileSync("own.mjs", "export const own = 8")')
    expect((await node('import { own } from "./own.mjs"\nown')).output).toBe(8)
  })

  it('keeps names after an error, whose stack has the lines of the cell', async () => {
    const { node } = await openKernels()
    await node('function half() {\n  throw new RangeError("bad")\n}')
    const { error } = await node('const kept = 1\nhalf()')
    expect(error).toMatchObject({ type: 'RangeError', message: 'bad' })
    expect(error?.traceback).toContain('at half (cell-1:2:9)\n        throw new RangeError("bad")')
    expect(error?.traceback).toContain('at cell-2:2:1')
    expect(error?.traceback).not.toMatch(/guest|inspector|evalmachine/)
    expect((await node('kept')).output).toBe(1)
    expect((await node('let b = ;')).error?.traceback).toContain('at cell-4:1:9')
    expect((await node('process.exit(4)')).error).toMatchObject({ type: 'Exited', exit_code: 4 })
    expect((await node('kept')).output).toBe(1)
  })

  it('is interrupted in a loop and in a wait, and keeps its names', async () => {
    const { node } = await openKernels()
    await node('const x = 1')
    const limits = { timeout_ms: 500 }
    for (const code of ['while (true) {}', 'await new Promise(() => {})']) {
      const { error, kernel } = await node(code, { limits })
      expect(error?.type).toBe('Timeout')
      expect(kernel).not.toHaveProperty('notice')
    }
    expect((await node('x')).output).toBe(1)
  })

  it('captures the output of a cell and of its processes', async () => {
    const { node } = await openKernels()
    const code = `console.log('a')
const { execSync, spawn } = require('child_process')
execSync('echo b', { stdio: 'inherit' })
await new Promise((done) => spawn('sh', ['-c', 'echo c >&2'], { stdio: 'inherit' }).on('close', done))
console.error('d')`
    const { logs_preview: logs } = await node(code)
    expect(logs.split('\n').sort().join()).toBe(',a,b,c,d')
  })
})
