// @module-tag slow
// @module-tag nightly
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TOTAL_GROUP_NAME } from '../../../../src/core/sandbox/cgroups/cgroup-total.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'
import { TierRuntime, TIERS } from './tier-runtime.ts'
import { procFile } from './warm-runtime.ts'

/** True for the right output, or for an error that reports the loss of the sandbox. */
function isHonest(result: RunResult, expected: unknown): boolean {
  if (result.status === 'completed') return result.output === expected
  const { type, message = '' } = result.error ?? {}
  return type === 'SandboxError' || type === 'Killed' || message.includes('SIGKILL')
}

/** Lists the living processes of a zygote, as seen by the host. */
function listZygoteProcesses(pid: number | undefined): string[] {
  return readdirSync('/proc').filter((name) => {
    const words = procFile(Number(name), 'cmdline')
    const parents = /^PPid:\t(\d+)$/m.exec(procFile(Number(name), 'status'))?.[1]
    return words.includes('/guest/zygote.py') && (Number(name) === pid || Number(parents) === pid)
  })
}

function killForks(zygote: number): void {
  for (const pid of listZygoteProcesses(zygote)) {
    if (Number(pid) !== zygote) process.kill(Number(pid), 'SIGKILL')
  }
}

async function waitUntilWarm(all: TierRuntime): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    await all.zygote()
    if ((await all.run('return 0')).isolation?.path === 'warm') return
    await sleep(50)
  }
  throw new Error('it is cold for ever')
}

describe.each(TIERS)('a zygote of %s', (tier) => {
  let all: TierRuntime
  beforeAll(async () => {
    all = new TierRuntime(tier)
    await all.zygote()
  })
  afterAll(async () => await all.close())

  /** Opens a runtime for one test. */
  async function open(options: { maxForks?: number } = {}): Promise<TierRuntime> {
    const own = new TierRuntime(tier, options)
    onTestFinished(async () => await own.close())
    await own.zygote()
    return own
  }

  it('that is killed while runs start loses no result, and another one takes its place', async () => {
    for (let round = 0; round < 4; round++) {
      const first = await all.zygote()
      const runs = Array.from({ length: 8 }, async (_, at) => await all.run(`return ${at}`))
      await sleep(round * 7)
      process.kill(first, 'SIGKILL')
      const results = await Promise.all(runs)
      results.forEach((result, at) => expect([at, isHonest(result, at)]).toEqual([at, true]))
      await waitUntilWarm(all)
      expect(await all.zygote()).not.toBe(first)
      expect(listZygoteProcesses(first)).toEqual([])
    }
  })

  it('that is killed during a run ends it, and the run is not repeated', async () => {
    await waitUntilWarm(all)
    const zygote = await all.zygote()
    const { done } = await all.begun('time.sleep(20)\nreturn 1')
    process.kill(zygote, 'SIGKILL')
    const { status, error, logs_preview: logs, isolation } = await done
    expect(status).toBe('failed')
    expect(error?.type).toBe('SandboxError')
    expect(isolation?.path).toBe('warm')
    expect(logs.match(/begun/g)).toHaveLength(1)
  })

  it('that is stopped by a signal is killed with a cancelled run', async () => {
    await waitUntilWarm(all)
    const { done } = await all.begun('time.sleep(60)')
    const zygote = await all.zygote()
    process.kill(zygote, 'SIGSTOP')
    const slow = await Promise.all([
      done.then(() => 'ended'),
      all.run('return 5').then(({ output }) => output),
      sleep(500).then(() => killForks(zygote)),
      // The waiter of the dead run waits for the zygote's report.
      sleep(1500).then(() => process.kill(zygote, 'SIGCONT')),
    ])
    expect(slow.slice(0, 2)).toEqual(['ended', 5])
  })

  it('is replaced after its number of forks, during runs and without a trace', async () => {
    const own = await open({ maxForks: 12 })
    const seen = new Set<number>()
    let left = 80
    const work = async () => {
      for (let at = left--; at > 0; at = left--) {
        const { output, isolation } = await own.run(`return ${at}`)
        expect(output).toBe(at)
        expect(isolation?.path).toMatch(/^(?:warm|cold)$/)
        seen.add(await own.zygote())
      }
    }
    await Promise.all([work(), work(), work()])
    expect(seen.size).toBeGreaterThan(2)
    await own.stop()
    for (const pid of seen) expect(listZygoteProcesses(pid)).toEqual([])
  })

  it('leaves neither process nor folder nor group when it is stopped', async () => {
    const own = await open()
    for (let at = 0; at < 5; at++) expect((await own.run(`return ${at}`)).output).toBe(at)
    const pid = await own.zygote()
    const mark = new RegExp(`\\.${own.keeper}-\\d+\\.(?:zygote|warm)-`)
    const name = readdirSync(own.base).find((each) => each.startsWith('skills-runs-'))
    const folders = join(own.base, name ?? '')
    expect(readdirSync(folders).filter((each) => mark.test(each)).length).toBeGreaterThan(0)
    await own.stop()
    expect(procFile(pid, 'cmdline')).toBe('')
    expect(readdirSync(folders).filter((each) => mark.test(each))).toEqual([])
    await expect
      .poll(() => listRunGroups().filter((each) => mark.test(each)), { timeout: 10_000 })
      .toEqual([])
  })

  it('forks runs that reach nothing', async () => {
    await waitUntilWarm(all)
    const refused = await all.run('socket.create_connection(("127.0.0.1", 1))')
    expect(refused.isolation).toMatchObject({ path: 'warm', network: 'none' })
    expect(refused.error?.type).toBe('ConnectionRefusedError')
  })
})

/** Lists the control groups of runs, if this machine has any. */
function listRunGroups(): string[] {
  const mounts = procFile(process.pid, 'mountinfo').split('\n')
  return mounts
    .filter((line) => / - cgroup/.test(line))
    .flatMap((line) => listNamesBelow(join(line.split(' ')[4] ?? '', TOTAL_GROUP_NAME)))
}

function listNamesBelow(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
