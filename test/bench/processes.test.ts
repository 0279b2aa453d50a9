import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
// @ts-expect-error benches are plain JavaScript
import { readEndedMs, readTreeMs } from './processes.js'

const CPU_MS = 200
const GRANDCHILD = `while (process.cpuUsage().user < ${CPU_MS * 1000});`
const CHILD = `
  require('node:child_process').spawnSync(process.execPath, ['-e', process.argv[1]])
  console.log('the grandchild has ended')
  process.stdin.resume()`

it('CPU time of a process tree includes a grandchild that has ended, before and after its parent ends', async () => {
  const child = spawn(process.execPath, ['-e', CHILD, GRANDCHILD])
  await once(child.stdout, 'data')
  expect(readTreeMs(child.pid)).toBeGreaterThanOrEqual(CPU_MS)
  const before = readEndedMs()
  child.stdin.end()
  await once(child, 'close')
  expect(readEndedMs() - before).toBeGreaterThanOrEqual(CPU_MS)
})
