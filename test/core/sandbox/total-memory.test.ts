// @module-tag slow
// @module-tag nightly
import { execFile } from 'node:child_process'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { findHierarchy1 } from '../../../src/core/sandbox/cgroups/cgroup-mounts.ts'
import { createFolder } from '../../helpers/skills.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MIB = 1024 ** 2
const memory = process.getuid?.() === 0 ? findHierarchy1('memory') : undefined
const whyNot = memory ? '' : ' (not run: needs root and control groups of version 1)'

interface Row {
  status: string
  error?: { type: string; limit?: object }
}

/**
 * Uses a control group of its own, since the total limit would also apply to the runs of other
 * tests.
 */
async function runTogether(total: number): Promise<Row[]> {
  const group = join(memory?.ownGroup ?? '', `total-test-${process.pid}-${total}`)
  mkdirSync(group)
  onTestFinished(() => rmdirSync(group))
  const worker = join(ROOT, 'test/core/sandbox/total-worker.ts')
  const data = createFolder()
  const script = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"'
  const words = [process.execPath, '--import', BUILT_MODULES, worker, data, String(total)]
  const env = { PATH: process.env['PATH'], HOME: data, TMPDIR: data }
  const options = { env }
  const run = promisify(execFile)
  const { stdout } = await run('/bin/sh', ['-c', script, 'sh', group, ...words], options)
  return JSON.parse(stdout) as Row[]
}

it.skipIf(!memory)(
  `all runs together have a memory limit that kills the largest${whyNot}`,
  async () => {
    const [small, ...large] = await runTogether(220 * MIB)
    expect(small?.status).toBe('completed')
    const ended = large.filter(({ status }) => status === 'failed')
    expect(ended.length).toBeGreaterThan(0)
    expect(ended.length).toBeLessThan(large.length)
    for (const { error } of ended) {
      expect(error).toMatchObject({
        type: 'MemoryLimit',
        limit: { name: 'total_memory', value: 220 * MIB },
      })
    }
  },
)

it.skipIf(!memory)(`the same runs complete with a higher total limit${whyNot}`, async () => {
  const results = await runTogether(600 * MIB)
  expect(results.map(({ status }) => status)).toEqual(Array(4).fill('completed'))
})
