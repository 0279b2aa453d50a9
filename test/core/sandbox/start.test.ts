import { spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runPython } from '../runs/run-python.ts'

const INIT = fileURLToPath(new URL('../../../src/guest/init.py', import.meta.url))
const isRoot = process.getuid?.() === 0
const whyNot = isRoot ? '' : ' (not run: only root can create control groups here)'

/** Starts the program of PID 1 outside of a sandbox, where it must refuse. */
async function runInit(word: number): Promise<string> {
  const child = spawn('/usr/bin/python3', ['-I', '-S', '-B', INIT], {
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const control = child.stdio.at(6) as Duplex
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(word)
  control.write(bytes)
  let output = ''
  for await (const chunk of control) output += String(chunk)
  return output
}

describe('the start of a sandbox', () => {
  it('checks the remaining privileges before a job can be read', async () => {
    expect(JSON.parse(await runInit(0xffffffff))).toEqual({
      failure: 'PermissionError: the system call filter is not in place',
    })
  })

  it.skipIf(!isRoot)(`applies its limits before the first line of a skill${whyNot}`, async () => {
    const code = 'GROUPS = open("/proc/self/cgroup").read()\ndef main(args): return GROUPS\n'
    const { output, isolation } = await runPython(code)
    // The group of the run is the root of its namespace: another one would be shown as /../…
    expect(output).toMatch(/^\d+:(?:[^:]*,)?(?:memory|):\/$/m)
    expect(output).toMatch(/^\d+:(?:[^:]*,)?(?:pids|):\/$/m)
    expect(isolation?.limits).toMatchObject({
      memory: expect.stringMatching(/^cgroup/) as string,
      processes: expect.stringMatching(/^cgroup/) as string,
    })
  })
})
