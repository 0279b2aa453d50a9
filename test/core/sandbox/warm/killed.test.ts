// @module-tag slow
// @module-tag nightly
import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunResult } from '../../../../src/core/runs/result.ts'
import { TierRuntime, TIERS } from './tier-runtime.ts'
import { procFile } from './warm-runtime.ts'

/** Prints its PID namespace and then keeps running. */
const STAYS = 'print(os.readlink("/proc/self/ns/pid"), flush=True)\ntime.sleep(30)\nreturn 1'
const ENDED = ['The sandbox ended before the code did', 'The code was ended by SIGKILL']

/** A killed run reports it; a completed run has run exactly once and has the right output. */
function isConsistent(
  { status, output, error, logs_preview: logs }: RunResult,
  at: number,
): boolean {
  const times = logs.split(`run ${at}\n`).length - 1
  if (status === 'completed') return output === at && times === 1
  return ENDED.includes(error?.message ?? '') && times <= 1
}

function listDescendants(pid: number): number[] {
  return listNames(`/proc/${pid}/task`)
    .flatMap((thread) => procFile(pid, `task/${thread}/children`).split(' '))
    .filter((word) => word !== '')
    .flatMap((word) => [Number(word), ...listDescendants(Number(word))])
}

/** Lists the processes below it once their number is stable. */
async function waitForStableDescendants(pid: number): Promise<number[]> {
  for (let before = listDescendants(pid); ;) {
    await sleep(300)
    const now = listDescendants(pid)
    if (now.length > 0 && now.join() === before.join()) return now
    before = now
  }
}

/** Lists the sandboxed ones, without other children of the process. */
function listGuests(pid: number): number[] {
  return listDescendants(pid).filter((each) => procFile(each, 'cmdline').includes('/guest/'))
}

function listNames(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function listPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

function readParentPid(pid: number): number {
  return Number(/^PPid:\t(\d+)$/m.exec(procFile(pid, 'status'))?.[1])
}

/** PID 1 of the namespace comes first. Includes zombies that have not been reaped. */
function listNamespacePids(namespace: string): number[] {
  return listPids().filter((pid) => {
    try {
      const isThere = readlinkSync(`/proc/${pid}/ns/pid`) === namespace
      return isThere && !/^State:\t[ZX]/m.test(procFile(pid, 'status'))
    } catch {
      return false
    }
  })
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It exited on its own.
  }
}

const printRunNumber = (at: number) => `print("run ${at}", flush=True)\nreturn ${at}`

describe.each(TIERS)('killing processes from outside, as %s,', (tier) => {
  let all: TierRuntime
  beforeAll(async () => {
    all = new TierRuntime(tier)
    await all.zygote()
  })
  afterAll(async () => await all.close())

  const runEight = async (isCold = false) =>
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) => await all.run(printRunNumber(at), { isCold })),
    )

  /** Starts a run that keeps running, and reads its PID namespace. */
  async function stay(isCold: boolean): Promise<{ namespace: string; done: Promise<RunResult> }> {
    return await new Promise((resolve, reject) => {
      const done = all.run(STAYS, {
        isCold,
        onOutput: (text) => {
          const [namespace] = /pid:\[\d+\]/.exec(text) ?? []
          if (namespace) resolve({ namespace, done })
        },
      })
      done.then(() => reject(new Error('it ended early')), reject)
    })
  }

  it('makes no run fail while they are idle forks', async () => {
    await runEight()
    // A fork under way could be assigned to a run before its PID 1 is dead.
    for (const pid of await waitForStableDescendants(await all.zygote())) kill(pid)
    const results = await runEight()
    expect(results.map(({ output, error }) => error?.message ?? output)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ])
  })

  it('loses no result and mixes up none, right after a fork', async () => {
    const over = new AbortController()
    const killing = (async () => {
      for (let at = 0; !over.signal.aborted; at++) {
        kill(listDescendants(await all.zygote()).at(at % 2 === 0 ? -1 : 0))
        await sleep(at % 7)
      }
    })()
    for (let round = 0; round < 4; round++) {
      const results = await runEight()
      results.forEach((result, at) =>
        expect([result, isConsistent(result, at)]).toEqual([result, true]),
      )
    }
    over.abort()
    await killing
  })

  it.each([
    ['a fork of the zygote', false],
    ['a sandbox of its own', true],
  ])('in the middle of a run in %s ends it with a reported reason', async (_where, isCold) => {
    for (let at = 0; at < 2; at++) {
      const { namespace, done } = await stay(isCold)
      const inside = listNamespacePids(namespace)
      expect(inside.length).toBeGreaterThan(0)
      kill(inside.at(at))
      const { status, error, logs_preview: logs } = await done
      expect([status, ENDED.includes(error?.message ?? '')]).toEqual(['failed', true])
      expect(logs.split(namespace)).toHaveLength(2)
      // The next namespace may get the number of this one.
      const left = () => listNamespacePids(namespace).filter((pid) => inside.includes(pid))
      await expect.poll(left).toEqual([])
    }
  })

  it('around a run ends the whole run', async () => {
    const { namespace, done } = await stay(true)
    const first = listNamespacePids(namespace)[0] as number
    const launcher = readParentPid(first)
    expect(procFile(launcher, 'cmdline')).toContain('/proc/self/cwd/launch.py')
    kill(launcher)
    const { status, error } = await done
    expect([status, error?.message]).toEqual(['failed', ENDED[0]])
    await expect.poll(() => listNamespacePids(namespace)).toEqual([])
  })

  it('around the zygote ends its runs, and another zygote starts', async () => {
    const zygote = await all.zygote()
    const around: number[] = []
    for (let pid = readParentPid(zygote); pid !== all.keeper; pid = readParentPid(pid))
      around.push(pid)
    expect(around.length).toBeGreaterThan(0)
    for (let at = 0; at < around.length; at++) {
      const before = await all.zygote()
      const { namespace, done } = await stay(false)
      let outer = before
      for (let step = 0; step <= at; step++) outer = readParentPid(outer)
      kill(outer)
      const { status, error } = await done
      expect([status, error?.message]).toEqual(['failed', ENDED[0]])
      await expect.poll(() => listNamespacePids(namespace)).toEqual([])
      await expect.poll(() => procFile(before, 'cmdline')).toBe('')
      expect((await runEight()).map(({ output }) => output)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    }
  })

  it('during the start of a sandbox loses no result', async () => {
    for (let at = 0; at < 12; at++) {
      const running = all.run(printRunNumber(at), { isCold: true })
      const isCold = (pid: number) => /launch\.py|\/guest\/init\.py/.test(procFile(pid, 'cmdline'))
      const found = () => listDescendants(all.keeper).filter(isCold)
      await expect.poll(() => found().length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0)
      await sleep(at * 4)
      kill(found().at(at % 2 === 0 ? 0 : -1))
      const result = await running
      expect([result, isConsistent(result, at)]).toEqual([result, true])
    }
  })

  it('leaves nothing behind', async () => {
    await all.stop()
    const seesOurs = (pid: number) => procFile(pid, 'mountinfo').includes(all.base)
    await expect.poll(() => listGuests(all.keeper)).toEqual([])
    expect(listPids().filter(seesOurs)).toEqual([])
    const [runs = ''] = readdirSync(all.base).filter((name) => name.startsWith('skills-runs-'))
    expect(readdirSync(`${all.base}/${runs}`)).toEqual([])
  })
})
