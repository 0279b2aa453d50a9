import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TOTAL } from '../../../../src/core/sandbox/cgroup-total.ts'
import type { RunResult } from '../../../../src/core/run/result.ts'
import { procFile, warmRuntime, type WarmRuntime } from './warm-runtime.ts'

/** The right answer, or the honest word that it was lost with its sandbox. */
function isHonest(result: RunResult, expected: unknown): boolean {
  if (result.status === 'completed') return result.output === expected
  const { type, message = '' } = result.error ?? {}
  return type === 'SandboxError' || type === 'Killed' || message.includes('SIGKILL')
}

/** Processes of a zygote that live, as the host sees them. */
function processesOf(pid: number | undefined): string[] {
  return readdirSync('/proc').filter((name) => {
    const words = procFile(Number(name), 'cmdline')
    const parents = /^PPid:\t(\d+)$/m.exec(procFile(Number(name), 'status'))?.[1]
    return words.includes('/guest/zygote.py') && (Number(name) === pid || Number(parents) === pid)
  })
}

function killForksOf(zygote: number): void {
  for (const pid of processesOf(zygote)) {
    if (Number(pid) !== zygote) process.kill(Number(pid), 'SIGKILL')
  }
}

async function untilWarm({ warm, run }: WarmRuntime): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    await warm.settled()
    if ((await run('return 0')).isolation?.path === 'warm') return
    await sleep(50)
  }
  throw new Error('it is cold for ever')
}

describe('a zygote', () => {
  it('that is killed while runs begin loses no answer, and another one takes its place', async () => {
    const all = await warmRuntime()
    for (let round = 0; round < 4; round++) {
      const first = all.warm.pid as number
      const runs = Array.from({ length: 8 }, async (_, at) => await all.run(`return ${at}`))
      await sleep(round * 7)
      process.kill(first, 'SIGKILL')
      const results = await Promise.all(runs)
      results.forEach((result, at) => expect([at, isHonest(result, at)]).toEqual([at, true]))
      await untilWarm(all)
      expect(all.warm.pid).not.toBe(first)
      expect(processesOf(first)).toEqual([])
    }
  })

  it('that is killed under a run ends it, and the run is not begun again', async () => {
    const all = await warmRuntime()
    const zygote = all.warm.pid as number
    const running = all.run('print("begun", flush=True)\ntime.sleep(20)\nreturn 1')
    await sleep(400)
    process.kill(zygote, 'SIGKILL')
    const { status, error, logs_preview: logs, isolation } = await running
    expect(status).toBe('failed')
    expect(error?.type).toBe('SandboxError')
    expect(isolation?.path).toBe('warm')
    expect(logs.match(/begun/g)).toHaveLength(1)
  })

  it('that stands still is ended with the run that was to end', async () => {
    const all = await warmRuntime()
    const running = all.run('time.sleep(60)')
    await sleep(300)
    const zygote = all.warm.pid as number
    process.kill(zygote, 'SIGSTOP')
    const slow = await Promise.all([
      running.then(() => 'ended'),
      all.runtime
        .runCode(
          { language: 'python', code: 'def main(args):\n    return 5\n' },
          { cwd: tmpdir(), env: { PATH: process.env['PATH'] } },
        )
        .then(({ output }) => output),
      sleep(500).then(() => killForksOf(zygote)),
      // Whoever waits for the dead run waits for the zygote to say so.
      sleep(1500).then(() => process.kill(zygote, 'SIGCONT')),
    ])
    expect(slow.slice(0, 2)).toEqual(['ended', 5])
  })

  it('is replaced when it has forked enough, under runs and without a trace', async () => {
    const all = await warmRuntime({ mostForks: 12 })
    const seen = new Set<number | undefined>()
    let left = 80
    const work = async () => {
      for (let at = left--; at > 0; at = left--) {
        const { output, isolation } = await all.run(`return ${at}`)
        expect(output).toBe(at)
        expect(isolation?.path).toMatch(/^(?:warm|cold)$/)
        seen.add(all.warm.pid)
      }
    }
    await Promise.all([work(), work(), work()])
    seen.delete(undefined)
    expect(seen.size).toBeGreaterThan(2)
    await all.warm.stop()
    for (const pid of seen) expect(processesOf(pid)).toEqual([])
  })

  it('leaves neither process nor folder nor group when it is stopped', async () => {
    const all = await warmRuntime()
    for (let at = 0; at < 5; at++) expect((await all.run(`return ${at}`)).output).toBe(at)
    const pid = all.warm.pid as number
    const mark = new RegExp(`\\.${process.pid}-\\d+\\.(?:zygote|warm)-`)
    const folders = join(tmpdir(), `skills-runs-${process.getuid?.()}`)
    expect(readdirSync(folders).filter((name) => mark.test(name)).length).toBeGreaterThan(0)
    await all.warm.stop()
    expect(procFile(pid, 'cmdline')).toBe('')
    expect(readdirSync(folders).filter((name) => mark.test(name))).toEqual([])
    await expect
      .poll(() => groupsOfRuns().filter((name) => mark.test(name)), { timeout: 10_000 })
      .toEqual([])
  })

  it('forks runs that reach nothing', async () => {
    const all = await warmRuntime()
    const refused = await all.run('socket.create_connection(("127.0.0.1", 1))')
    expect(refused.isolation).toMatchObject({ path: 'warm', network: 'none' })
    expect(refused.error?.type).toBe('ConnectionRefusedError')
  })
})

/** As far as this machine has any. */
function groupsOfRuns(): string[] {
  const mounts = procFile(process.pid, 'mountinfo').split('\n')
  return mounts
    .filter((line) => / - cgroup/.test(line))
    .flatMap((line) => namesBelow(join(line.split(' ')[4] ?? '', TOTAL)))
}

function namesBelow(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
