import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { performRun } from '../../../../src/core/runs/perform-run.ts'
import type { ProgramOutcome, ProgramJob } from '../../../../src/core/runs/job.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { BARE_PLAN } from './bare-plan.ts'
import { warmRuntime, type WarmRuntime } from './warm-runtime.ts'

/** Runs a program instead of the harness. The result includes its output. */
async function program(
  { runtime }: WarmRuntime,
  plan: Pick<ProgramJob, 'program'> & Partial<ProgramJob>,
): Promise<ProgramOutcome & { printed: string }> {
  const printed: Buffer[] = []
  const outcome = await performRun(
    runtime,
    {
      ...BARE_PLAN,
      sinks: {
        stdout: (chunk) => void printed.push(chunk),
        stderr: (chunk) => void printed.push(chunk),
      },
      ...plan,
    },
    { cwd: '/', env: { PATH: process.env['PATH'] } },
  )
  return { ...outcome, printed: Buffer.concat(printed).toString('utf8') }
}

const shell = (words: string) => ({
  argv: ['/bin/sh', '-c', words],
  cwd: '/workspace',
  env: { PATH: '/usr/bin:/bin' },
})

describe('a program in a fork of the zygote', () => {
  it('has its arguments, its environment and its exit code', async () => {
    const all = await warmRuntime()
    const done = await program(all, { program: shell('echo "$PATH" $(id -u); pwd; exit 3') })
    expect(done).toMatchObject({ exitCode: 3, isolation: { path: 'warm', reason: 'zygote' } })
    expect(done.printed).toBe(`/usr/bin:/bin ${done.isolation?.user}\n/workspace\n`)
  })

  it('reads its stdin', async () => {
    const all = await warmRuntime()
    const done = await program(all, {
      program: shell('cat | tr a-z A-Z'),
      stdin: Buffer.from('words'),
    })
    expect(done).toMatchObject({ exitCode: 0, printed: 'WORDS', isolation: { path: 'warm' } })
  })

  it('has the code of its request, which it cannot change', async () => {
    const all = await warmRuntime()
    const done = await program(all, {
      program: shell('cat /code/a.txt; echo x > /code/a.txt || echo kept'),
      code: { file: 'a.txt', text: 'of the caller\n' },
    })
    expect(done.printed).toContain('of the caller')
    expect(done.printed).toContain('kept')
    expect(done.isolation).toMatchObject({ path: 'warm' })
  })

  it('leaves no child process behind', async () => {
    const all = await warmRuntime()
    const done = await program(all, { program: shell('sleep 300 & echo begun') })
    expect(done).toMatchObject({ exitCode: 0, printed: 'begun\n', isolation: { path: 'warm' } })
  })

  it('cannot kill, stop or outlive PID 1', async () => {
    const all = await warmRuntime()
    const words =
      'for pid in 1 $PPID -1; do kill -STOP $pid; kill -KILL $pid; done; echo alive; exit 3'
    const done = await program(all, { program: shell(`(sleep 300 &) ; ${words}`) })
    expect(done).toMatchObject({ exitCode: 3, isolation: { path: 'warm' } })
    expect(done.printed).toContain('alive')
    // Control: the signal does reach a process of its own.
    const other = await program(all, {
      program: shell('sleep 300 & kill -KILL $!; wait $!; echo $?'),
    })
    expect(other.printed).toContain('137')
  })

  it('gets a sandbox of its own if it works on a folder of the host', async () => {
    const all = await warmRuntime()
    const dir = createFolder({ 'a.txt': 'of the host' })
    chmodSync(dir, 0o755)
    const done = await program(all, {
      program: shell('cat /repository/a.txt'),
      folders: [{ source: dir, target: '/repository', mode: 'read-only' }],
    })
    expect(done).toMatchObject({
      printed: 'of the host',
      isolation: { path: 'cold', reason: 'folders' },
    })
  })

  it('finds programs outside of /usr in the zygote after repeated requests', async () => {
    const all = await warmRuntime()
    const dir = createFolder({ 'bin/hello': '#!/bin/sh\necho hello' })
    chmodSync(dir, 0o755)
    chmodSync(join(dir, 'bin'), 0o755)
    chmodSync(join(dir, 'bin/hello'), 0o755)
    const once = async () =>
      await program(all, {
        program: { argv: ['/opt/tool/bin/hello'], cwd: '/workspace', env: {} },
        tools: [{ source: dir, target: '/opt/tool' }],
      })
    expect(await once()).toMatchObject({
      printed: 'hello\n',
      isolation: { path: 'cold', reason: 'tools' },
    })
    await expect.poll(async () => (await once()).isolation?.path, { timeout: 20_000 }).toBe('warm')
    expect((await once()).printed).toBe('hello\n')
    // Another run does not see the grants of this one.
    const other = await program(all, { program: shell('ls -d /opt /tools /stage 2>/dev/null') })
    expect(other).toMatchObject({ printed: '', isolation: { path: 'warm' } })
  })
})
