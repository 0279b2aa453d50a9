// @module-tag slow
// @module-tag nightly
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunResult } from '../../../../src/core/runs/result.ts'
import { TierRuntime, TIERS } from './tier-runtime.ts'
import { procFile } from './warm-runtime.ts'

const SIBLING =
  'import ctypes\nlibc = ctypes.CDLL(None)\nlibc.syscall(56, 0x8000 | 17, None, None, None, None)'

/** Ways to end that leave cleanup to another process. */
const ENDINGS: readonly string[] = [
  'os._exit(3)',
  'os.kill(os.getpid(), 9)',
  'os.kill(0, 9)',
  'os.closerange(0, 64)',
  'os.execv("/bin/true", ["true"])',
  `${SIBLING}\nreturn 1`,
  'if os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\nos._exit(1)',
  'for _ in range(8):\n    if os.fork() == 0: os._exit(0)\nreturn 1',
]

/** Signals that would stop, kill or wake other processes if they reached them. */
const SIGNALS = `mine = os.getpid()
for each in range(1, 65): signal.signal(each, signal.SIG_IGN) if each not in (9, 19, 32, 33) else None
sent = []
for each in (1, 2, 10, 12, 13, 14, 15, 17, 18, 20, 21, 22, 34, 64):
    for name, send in (("group", lambda: os.kill(0, each)), ("all", lambda: os.kill(-1, each)), ("own group", lambda: os.killpg(os.getpgrp(), each)), ("parent", lambda: os.kill(os.getppid(), each)), ("first", lambda: os.kill(1, each))):
        try: send(); sent.append(name)
        except OSError: pass
for each in (19, 9):
    for pid in [1, -1, os.getppid() or 1, *range(3, 200)]:
        try: os.kill(pid, each)
        except OSError: pass
return len(sent) > 0`

/** Counts the children of a process: zombies, and living ones. */
function countChildren(parent: number): { dead: number; living: number } {
  const states = readdirSync('/proc').flatMap((name) => {
    const status = procFile(Number(name), 'status')
    if (Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]) !== parent) return []
    return [/^State:\t(\w)/m.exec(status)?.[1]]
  })
  const dead = states.filter((state) => state === 'Z').length
  return { dead, living: states.length - dead }
}

const countDescriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length
const countMounts = (pid: number) => procFile(pid, 'mountinfo').split('\n').length

describe.each(TIERS)('a zygote of %s under strain', (tier) => {
  let all: TierRuntime
  beforeAll(async () => {
    all = new TierRuntime(tier)
    await all.zygote()
  })
  afterAll(async () => await all.close())

  const isAnswered = async (n: number): Promise<RunResult> => {
    const result = await all.run('print(args["n"])\nreturn args["n"]', { args: { n } })
    expect([result.output, result.logs_preview.trim()]).toEqual([n, String(n)])
    return result
  }

  it('receives no signal of a run, and neither does a concurrent run', async () => {
    const zygote = await all.zygote()
    const beside = await all.begun('time.sleep(2)\nreturn "whole"')
    const signalled = await Promise.all([all.run(SIGNALS), all.run('os.kill(0, 9)')])
    expect(signalled[0].output).toBe(true)
    expect(signalled[1].error?.type).toBe('Killed')
    expect((await beside.done).output).toBe('whole')
    expect((await isAnswered(1)).isolation?.path).toBe('warm')
    expect(await all.zygote()).toBe(zygote)
    expect(procFile(zygote, 'status')).toMatch(/^State:\t[^TtZX]/m)
  })

  it('retains nothing of runs, however they end', async () => {
    const zygote = await all.zygote()
    await Promise.all(Array.from({ length: 8 }, async (_, n) => await isAnswered(n)))
    const before = {
      held: countDescriptors(zygote),
      mounts: countMounts(zygote),
      keeper: countDescriptors(all.keeper),
    }
    for (let round = 0; round < 6; round++) {
      const ended = await Promise.all(ENDINGS.map(async (body) => await all.run(body)))
      for (const { isolation } of ended) expect(isolation?.path).toBe('warm')
    }
    await Promise.all(Array.from({ length: 8 }, async (_, n) => await isAnswered(n)))
    expect(await all.zygote()).toBe(zygote)
    // A run that leaked a process each time would leave 48.
    await expect.poll(() => countChildren(zygote).dead, { timeout: 10_000 }).toBe(0)
    await expect.poll(() => countChildren(zygote).living, { timeout: 10_000 }).toBeLessThan(30)
    await expect
      .poll(() => countDescriptors(zygote), { timeout: 10_000 })
      .toBeLessThan(before.held + 24)
    await expect
      .poll(() => countDescriptors(all.keeper), { timeout: 10_000 })
      .toBeLessThan(before.keeper + 24)
    expect(countMounts(zygote)).toBe(before.mounts)
  })

  it('that loses unfinished forks passes none of their streams to others', async () => {
    const zygote = await all.zygote()
    const over = new AbortController()
    let kills = 0
    let answers = 0
    const killing = (async () => {
      // Bounded by the number of results instead of by time, for slow machines.
      for (let next = 0; !over.signal.aborted;) {
        await sleep(5)
        if (answers < next) continue
        next = answers + 2
        const forks = listChildPids(zygote)
        const victim = forks[kills % Math.max(1, forks.length)]
        try {
          if (victim !== undefined) process.kill(victim, 'SIGKILL')
          kills += 1
        } catch {
          // It exited on its own.
        }
      }
    })()
    let next = 0
    const work = async () => {
      for (let n = next++; n < 120; n = next++) {
        const {
          status,
          output,
          logs_preview: logs,
          error,
        } = await all.run('print("of", args["n"])\nreturn args["n"]', { args: { n } })
        if (status === 'completed') expect([output, logs.trim()]).toEqual([n, `of ${n}`])
        else {
          expect(error?.type).toMatch(/^(?:SandboxError|Killed)$/)
          expect(['', `of ${n}`]).toContain(logs.trim())
        }
        answers += 1
      }
    }
    try {
      await Promise.all([work(), work(), work(), work()])
    } finally {
      over.abort()
      await killing
    }
    expect(kills).toBeGreaterThan(10)
    expect(await all.zygote()).toBe(zygote)
    for (let n = 0; n < 8; n++) await isAnswered(1000 + n)
    expect((await isAnswered(0)).isolation?.path).toBe('warm')
  })

  it('serves the other runs when many are cancelled', async () => {
    const zygote = await all.zygote()
    const runs = Array.from({ length: 48 }, async (_, n) => {
      if (n % 2 === 0) return await isAnswered(n)
      const body = 'print("of", args["n"], flush=True)\ntime.sleep(60)'
      const left = all.run(body, { args: { n }, cancelAfterMs: (n * 7) % 60 })
      return await expect(left).rejects.toMatchObject({ code: 'run/cancelled' })
    })
    await Promise.all(runs)
    expect(await all.zygote()).toBe(zygote)
    expect((await isAnswered(100)).isolation?.path).toBe('warm')
    await expect.poll(() => countChildren(zygote).dead, { timeout: 10_000 }).toBe(0)
  })

  it('is not killed if runs run out of memory', async () => {
    const zygote = await all.zygote()
    const eat = 'kept = []\nwhile True: kept.append(bytearray(b"x") * (64 << 20))'
    const eaten = await Promise.all([all.run(eat), all.run(eat), all.run(eat)])
    for (const { error } of eaten) expect(error?.type).toMatch(/^(?:MemoryLimit|MemoryError)$/)
    expect((await isAnswered(1)).isolation?.path).toBe('warm')
    expect(await all.zygote()).toBe(zygote)
  })

  it('has nothing of its parent in its memory, and so has no run', async () => {
    const body = `wanted = ["".join(reversed(each)).encode() for each in args["reversed"]]
found = [0] * len(wanted)
with open("/proc/self/mem", "rb") as memory:
    for line in open("/proc/self/maps"):
        words = line.split()
        if "r" not in words[1] or words[-1] in ("[vvar]", "[vsyscall]"): continue
        start, end = (int(each, 16) for each in words[0].split("-"))
        memory.seek(start)
        try: data = memory.read(end - start)
        except (OSError, ValueError): continue
        found = [count + data.count(each) for count, each in zip(found, wanted)]
        del data
return [count > 2 for count in found]`
    // Joined only here, since the search finds its own process; the control occurs more often.
    const words = ['canary-6c1d2f', all.base.slice('/tmp/'.length), 'skills.runs']
    const reversed = [...words, 'traceback'].map((word) => [...word].toReversed().join(''))
    const { output } = await all.run(body, { args: { reversed } })
    expect(output).toEqual([false, false, false, true])
  })
})

function listChildPids(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number(/^PPid:\t(\d+)$/m.exec(procFile(pid, 'status'))?.[1]) === parent)
}
