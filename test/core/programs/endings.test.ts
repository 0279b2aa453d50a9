// @module-tag slow
// @module-tag nightly
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPolicyRuntime } from '../runs/policy-runtime.ts'
import { runProgram, buildShellArgv } from '../runs/run-program.ts'

/** Longer than any of these runs may last. */
const TIMEOUT_MS = 45_000

describe('a program', () => {
  const open = async () => await createPolicyRuntime('')

  describe('that exceeds its timeout', () => {
    it.each([
      [
        'ignores every signal that can be ignored',
        "for s in $(seq 1 31); do trap '' $s; done 2>/dev/null; while :; do sleep 0.1; done",
      ],
      ['exits with 0 on SIGTERM', "trap 'exit 0' TERM INT HUP; while :; do sleep 0.1; done"],
      ['stops itself', 'kill -STOP $$; sleep 60'],
      ['waits for a child', 'sleep 60 & wait'],
      ['has a child in another session', 'setsid sleep 60 & sleep 60'],
      ['forks many children', 'f() { sleep 60; }; for i in $(seq 1 20); do f & done; wait'],
      ['keeps printing', 'while :; do echo x; sleep 0.01; done'],
    ])(
      'has the status timeout if it %s',
      async (_, code) => {
        const { execute, audited } = await open()
        const answer = await execute({ code, timeoutMs: 700 })
        expect(answer).toMatchObject({ status: 'timeout', nextAction: { kind: 'increaseTimeout' } })
        expect(answer.durationMs).toBeGreaterThanOrEqual(700)
        expect(audited().at(-1)).toMatchObject({
          event: 'ended',
          result: { status: 'failed', error: 'Timeout' },
        })
      },
      TIMEOUT_MS,
    )

    it(
      'is killed with all its processes',
      async () => {
        const { execute, repository } = await open()
        const child = '(sleep 2; touch late) >/dev/null 2>&1 <&- &'
        const code = `${child} setsid sh -c '${child}' & sleep 60`
        expect(await execute({ code, timeoutMs: 700 })).toMatchObject({ status: 'timeout' })
        await sleep(2500)
        expect(existsSync(join(repository, 'late'))).toBe(false)
      },
      TIMEOUT_MS,
    )
  })

  describe('that leaves a process behind', () => {
    it.each([
      ['with its streams open', 'sleep 60 &'],
      ['with its streams closed', 'sleep 60 >/dev/null 2>&1 <&- &'],
      ['in another session', 'setsid sleep 60 &'],
      ['that is reparented', '(setsid sh -c "sleep 60 & exec sleep 60" &);'],
      ['that ignores all signals but SIGKILL', `sh -c 'trap "" TERM INT HUP; sleep 60' &`],
      ['that is stopped', `sh -c 'kill -STOP $$; sleep 60' &`],
    ])(
      'ends when its main process ends, with a child: %s',
      async (_, code) => {
        const { execute } = await open()
        const answer = await execute({
          code: `${code} echo hi`,
          timeoutMs: 30_000,
          outputMode: 'summary',
        })
        expect(answer).toMatchObject({ status: 'success', exitCode: 0 })
        expect(answer.stdoutSummary).toMatch(/^hi\n?$/)
      },
      TIMEOUT_MS,
    )

    it(
      'leaves no process running',
      async () => {
        const { execute, repository } = await open()
        const child = '(sleep 2; touch late) >/dev/null 2>&1 <&- &'
        expect(await execute({ code: `${child} setsid sh -c '${child}' & true` })).toMatchObject({
          status: 'success',
        })
        // Control: a process that the program waits for gets its time.
        expect(await execute({ code: '(sleep 2; touch control) & wait' })).toMatchObject({
          status: 'success',
        })
        expect(existsSync(join(repository, 'control'))).toBe(true)
        await sleep(500)
        expect(existsSync(join(repository, 'late'))).toBe(false)
      },
      TIMEOUT_MS,
    )
  })

  it.each([
    ['exit 7', { status: 'failure', exitCode: 7, signal: null }],
    ['kill -KILL $$', { status: 'failure', exitCode: null, signal: 'SIGKILL' }],
    ['kill -TERM $$', { status: 'failure', exitCode: null, signal: 'SIGTERM' }],
    ['exit 0', { status: 'success', exitCode: 0, signal: null }],
  ])('reports its own exit: %s', async (code, expected) => {
    const { execute } = await open()
    expect(await execute({ code })).toMatchObject(expected)
  })

  it(
    'is cancelled with its caller, and does not start if the caller is already gone',
    async () => {
      const { execute, repository } = await open()
      const stop = new AbortController()
      const running = execute(
        { code: 'touch began; sleep 60; touch late' },
        { signal: stop.signal },
      )
      await expect.poll(() => existsSync(join(repository, 'began')), { timeout: 20_000 }).toBe(true)
      stop.abort()
      expect(await running).toMatchObject({ status: 'cancelled' })
      const cancelled = await execute({ code: 'touch late' }, { signal: AbortSignal.abort() })
      expect(cancelled).toMatchObject({ status: 'cancelled' })
      expect(existsSync(join(repository, 'late'))).toBe(false)
    },
    TIMEOUT_MS,
  )
})

describe('a program at its timeout', { timeout: TIMEOUT_MS }, () => {
  const cleanUp = "trap 'echo cleaned up; exit 3' TERM; while :; do sleep 0.05; done"
  const limits = { wallMs: 700 }

  it.each(['auto', 'process'])('may clean up after SIGTERM, on the backend %s', async (backend) => {
    const ran = await runProgram(buildShellArgv(cleanUp), {
      settings: { 'run.backend': backend },
      plan: { limits },
    })
    expect(ran).toMatchObject({ status: 'timeout', exitCode: 3, stdout: 'cleaned up\n' })
    expect(ran.error?.hint).toContain('run.max_timeout')
  })

  it('is killed after the grace period', async () => {
    const code = 'trap "echo ignored" TERM; while :; do sleep 0.05; done'
    const killed = await runProgram(buildShellArgv(code), { plan: { limits } })
    expect(killed).toMatchObject({ status: 'timeout', exitCode: null, stdout: 'ignored\n' })
    const slow = cleanUp.replace('echo', 'sleep 60; echo')
    const slowly = await runProgram(buildShellArgv(slow), { plan: { limits } })
    expect(slowly).toMatchObject({ status: 'timeout', exitCode: null, stdout: '' })
  })

  it('dies of SIGTERM by default, and so does its group', async () => {
    const ran = await runProgram(buildShellArgv('sleep 60 | sleep 60'), { plan: { limits } })
    expect(ran).toMatchObject({ status: 'timeout', signal: 'SIGTERM' })
  })

  it('may also clean up if its caller cancels', async () => {
    const controller = new AbortController()
    const ran = await runProgram(buildShellArgv(`echo up; ${cleanUp}`), {
      call: { signal: controller.signal },
      during: async (_, getOutput) => {
        await expect.poll(getOutput, { timeout: 20_000 }).toBe('up\n')
        controller.abort()
      },
    })
    expect(ran).toMatchObject({ status: 'cancelled', stdout: 'up\ncleaned up\n' })
  })
})

describe('a program on the backend without isolation', () => {
  const settings = { 'run.backend': 'process' }

  it.each([
    "trap 'exit 0' TERM INT HUP; while :; do sleep 0.1; done",
    'setsid sleep 60 & sleep 60',
  ])(
    'is ended at its timeout: %s',
    async (code) => {
      const limits = { wallMs: 700 }
      expect(await runProgram(buildShellArgv(code), { settings, plan: { limits } })).toMatchObject({
        status: 'timeout',
      })
    },
    TIMEOUT_MS,
  )

  it.each(['sleep 60 &', '(setsid sh -c "sleep 60 & exec sleep 60" &);'])(
    'is not delayed by processes that it leaves: %s',
    async (code) => {
      const ran = await runProgram(buildShellArgv(`${code} echo hi`), { settings })
      expect(ran).toMatchObject({ status: 'success', stdout: 'hi\n' })
    },
    TIMEOUT_MS,
  )
})

describe('a link in the path of the working directory', () => {
  it('never leads to another folder, whenever it is placed', async () => {
    const { execute, repository, data } = await createPolicyRuntime('')
    // One run swaps a folder and a link to the host's data directory as fast as it can.
    const swap = `while :; do mv src real; ln -s ${data} src; rm src; mv real src; done`
    const stop = new AbortController()
    const swapping = execute({ code: `touch swapping; ${swap}` }, { signal: stop.signal })
    await expect
      .poll(() => existsSync(join(repository, 'swapping')), { timeout: 20_000 })
      .toBe(true)
    const outputs: string[] = []
    for (let round = 0; round < 8; round++) {
      try {
        const { status, stdoutSummary } = await execute({
          code: 'pwd -P; ls -a',
          relativeCwd: 'src',
          outputMode: 'summary',
        })
        outputs.push(`${status} ${stdoutSummary ?? ''}`)
      } catch (error) {
        outputs.push(String((error as Error).message))
      }
    }
    stop.abort()
    expect(await swapping).toMatchObject({ status: 'cancelled' })
    expect(outputs.join('\n')).not.toMatch(/blobs|audit|policy\.toml|\.config/)
    for (const each of outputs) {
      expect(each).toMatch(
        /^success \/repo\/(?:src|real)\n|^denied|^failure|does not exist|is not a folder/,
      )
    }
  }, 90_000)
})
