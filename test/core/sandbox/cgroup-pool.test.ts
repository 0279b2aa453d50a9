import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createControlGroup } from '../../../src/core/sandbox/cgroups/cgroup.ts'
import type { ControlGroup } from '../../../src/core/sandbox/cgroups/control-group.ts'
import { ControlGroupPool } from '../../../src/core/sandbox/cgroups/cgroup-pool.ts'

const MIB = 1024 ** 2
const LIMITS = { memoryBytes: 64 * MIB, processes: 8 }
const tried = createControlGroup('pool-test', LIMITS)
const countsProcesses = tried?.folders.some((each) => existsSync(join(each, 'pids.peak'))) === true
await tried?.remove()
const whyNot = tried ? '' : ' (not run: no control groups can be created here)'

/** Runs the code in the group until it ends. */
async function run(group: ControlGroup, code: string): Promise<void> {
  const wait = 'import sys; sys.stdin.readline()\n'
  const child = spawn('python3', ['-c', wait + code], { stdio: ['pipe', 'ignore', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await group.add(child.pid as number)
  const exit = once(child, 'exit')
  child.stdin.end('go\n')
  await exit
}

function openPool(most = 2): ControlGroupPool {
  const groups = new ControlGroupPool(most)
  onTestFinished(async () => await groups.stop())
  return groups
}

function takeGroup(groups: ControlGroupPool, limits: typeof LIMITS = LIMITS): ControlGroup {
  const group = groups.take(limits)
  if (!group) throw new Error('no group')
  return group
}

it.skipIf(!tried)(`a control group is reused with reset counters${whyNot}`, async () => {
  const groups = openPool()
  const first = takeGroup(groups)
  await run(first, 'sum(range(10_000_000))\nx = bytearray(32 << 20)')
  const used = first.cpuMs?.() ?? NaN
  expect(used).toBeGreaterThan(20)
  await first.remove()
  const second = takeGroup(groups)
  expect(second.folders).toEqual(first.folders)
  expect(second.cpuMs?.()).toBeLessThan(used / 2)
  expect(second.memoryKills()).toBe(0)
  expect(second.refusedProcesses()).toBe(0)
  await second.remove()
})

const countsMemory = tried?.kind === 'cgroup1'

it.skipIf(!countsMemory)(
  `the highest memory of a reused control group is that of its present run${whyNot}`,
  async () => {
    const groups = openPool()
    const first = takeGroup(groups)
    await run(first, 'x = bytearray(40 << 20)')
    expect(first.peakMemoryBytes?.()).toBeGreaterThan(40 * MIB)
    await first.remove()
    const second = takeGroup(groups)
    expect(second.folders).toEqual(first.folders)
    await run(second, 'x = bytearray(20 << 20)')
    expect(second.peakMemoryBytes?.()).toBeGreaterThan(20 * MIB)
    expect(second.peakMemoryBytes?.()).toBeLessThan(40 * MIB)
    await second.remove()
  },
)

it.skipIf(!tried)(
  `the highest number of processes is unknown if an earlier run had more${whyNot}`,
  async () => {
    const limits = { ...LIMITS, processes: 100 }
    const groups = openPool()
    const start = (count: number) =>
      `import os, time\nfor _ in range(${count}):\n    if os.fork() == 0: time.sleep(0.2); os._exit(0)\nwhile True:\n    try: os.wait()\n    except OSError: break`
    const first = takeGroup(groups, limits)
    await run(first, start(20))
    const most = first.peakProcesses?.() ?? 0
    if (countsProcesses) expect(most).toBeGreaterThan(20)
    await first.remove()
    const second = takeGroup(groups, limits)
    expect(second.folders).toEqual(first.folders)
    await run(second, start(1))
    expect(second.peakProcesses?.()).toBeUndefined()
    await second.remove()
    const third = takeGroup(groups, limits)
    await run(third, start(most + 1))
    const more = third.peakProcesses?.() ?? 0
    if (countsProcesses) expect(more).toBeGreaterThan(most)
    await third.remove()
  },
)

it.skipIf(!tried)(
  `a control group whose priority was lowered is reset for its next run${whyNot}`,
  async () => {
    const groups = openPool()
    const first = takeGroup(groups)
    const shareOf = ({ folders }: ControlGroup) =>
      folders.flatMap((each) =>
        ['cpu.shares', 'cpu.weight']
          .map((name) => join(each, name))
          .filter((file) => existsSync(file))
          .map((file) => readFileSync(file, 'utf8')),
      )
    const fresh = shareOf(first)
    const lower = (reason: 'long' | 'several') => {
      const isWeighted = first.lowerPriority?.(reason)
      expect(isWeighted).toBe(fresh.length > 0)
      return Number(shareOf(first)[0] ?? 0)
    }
    const [initial, long, several] = [Number(fresh[0] ?? 0), lower('long'), lower('several')]
    if (fresh.length > 0) expect([initial > long, long > several]).toEqual([true, true])
    // A long run of a caller with several runs is not raised.
    expect(lower('long')).toBe(several)
    await first.remove()
    const second = takeGroup(groups)
    expect(second.folders).toEqual(first.folders)
    expect(shareOf(second)).toEqual(fresh)
    await second.remove()
  },
)

it.skipIf(!tried)(`two runs never share a control group${whyNot}`, async () => {
  const groups = openPool()
  const [first, second] = [takeGroup(groups), takeGroup(groups)]
  expect(second.folders).not.toEqual(first.folders)
  await Promise.all([first.remove(), second.remove()])
})

it.skipIf(!tried)(`a request with other limits gets another control group${whyNot}`, async () => {
  const groups = openPool()
  const first = takeGroup(groups)
  await first.remove()
  const second = takeGroup(groups, { ...LIMITS, processes: 9 })
  expect(second.folders).not.toEqual(first.folders)
  await second.remove()
})

it.skipIf(!tried)(`a control group that ran out of memory is not reused${whyNot}`, async () => {
  const groups = openPool()
  const first = takeGroup(groups)
  await run(first, 'x = bytearray(256 << 20)')
  expect(first.memoryKills()).toBeGreaterThan(0)
  await first.remove()
  expect(first.folders.some((each) => existsSync(each))).toBe(false)
  const second = takeGroup(groups)
  expect(second.memoryKills()).toBe(0)
  await second.remove()
})

it.skipIf(!tried)(
  `a control group that reached its process limit is not reused${whyNot}`,
  async () => {
    const groups = openPool()
    const first = takeGroup(groups)
    const forks =
      'import os, time\nfor _ in range(20):\n    try:\n        if os.fork() == 0: time.sleep(0.2); os._exit(0)\n    except OSError: pass\nwhile True:\n    try: os.wait()\n    except OSError: break'
    await run(first, forks)
    expect(first.refusedProcesses()).toBeGreaterThan(0)
    await first.remove()
    expect(first.folders.some((each) => existsSync(each))).toBe(false)
  },
)

it.skipIf(!tried)(
  `remaining processes of a control group are killed with the group${whyNot}`,
  async () => {
    const groups = openPool()
    const first = takeGroup(groups)
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    await first.add(child.pid as number)
    await first.remove()
    expect((await exit)[1]).toBe('SIGKILL')
    expect(first.folders.some((each) => existsSync(each))).toBe(false)
  },
)

it.skipIf(!tried)(
  `the number of idle control groups is bounded, and stopping the pool removes all${whyNot}`,
  async () => {
    const groups = openPool(1)
    const [first, second, third] = [takeGroup(groups), takeGroup(groups), takeGroup(groups)]
    await first.remove()
    await second.remove()
    expect(first.folders.every((each) => existsSync(each))).toBe(true)
    expect(second.folders.some((each) => existsSync(each))).toBe(false)
    await groups.stop()
    await third.remove()
    for (const { folders } of [first, third]) {
      expect(folders.some((each) => existsSync(each))).toBe(false)
    }
  },
)
