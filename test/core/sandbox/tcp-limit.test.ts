import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createControlGroup } from '../../../src/core/sandbox/cgroups/cgroup.ts'

const MIB = 1024 ** 2
const FILE = 'memory.kmem.tcp.limit_in_bytes'

const group = createControlGroup('tcp-limit', { memoryBytes: 32 * MIB, processes: 8 })
const folder = group?.folders.find((each) => existsSync(join(each, FILE)))
const whyNot = folder === undefined ? ' (not run: no version 1 of control groups here)' : ''

describe.skipIf(folder === undefined)(`a control group of version 1${whyNot}`, () => {
  it('limits buffers of TCP, which it does not count as memory', async () => {
    const applied = Number(readFileSync(join(folder as string, FILE), 'utf8'))
    await group?.remove()
    expect(applied).toBe(32 * MIB)
  })
})
