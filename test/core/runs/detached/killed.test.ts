// @module-tag slow
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { findProcesses, findRunners, readProc, readRunnerPid } from '../../../helpers/runners.ts'
import { createDetachingRuntime, LONG_MS } from './detached-runtime.ts'
import { BUILT_MODULES } from '../../../helpers/built.ts'

const FRONT = fileURLToPath(new URL('./front-worker.ts', import.meta.url))

async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + LONG_MS
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error('It did not come true')
    await sleep(10)
  }
}

/** Starts a front in a process of its own. */
function startFront(
  data: string,
  codes: readonly string[],
  settings: Record<string, unknown> = {},
) {
  const argv = ['--import', BUILT_MODULES, FRONT]
  const child = spawn(process.execPath, [...argv, JSON.stringify({ data, codes, settings })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.on('data', (chunk) => (text += String(chunk)))
  const isOver = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    ids: () => [...text.matchAll(/run_[0-9a-f]+/g)].map(([id]) => id),
    hasStarted: () => text.includes('starting'),
    async kill() {
      child.kill('SIGKILL')
      await isOver
    },
  }
}

it('a run goes on when its front is killed, and another front polls and cancels it', async () => {
  const { data, runtime, call, waitForEnd, readLogs } = await createDetachingRuntime()
  const front = startFront(data, ['echo one; sleep 8; echo two', 'sleep 7919'])
  await waitUntil(() => front.ids().length === 2)
  const [id = '', other = ''] = front.ids()
  await waitUntil(async () => (await readLogs(id)) === 'one\n')
  const before = await runtime.readRunLogs({ run_id: id }, call)
  await front.kill()
  expect((await runtime.listRuns({ status: 'running' }, call)).runs).toHaveLength(2)
  expect(await waitForEnd(id)).toMatchObject({ status: 'completed', result: { status: 'success' } })
  const rest = await runtime.readRunLogs({ run_id: id, offset: before.next_offset }, call)
  expect(rest).toMatchObject({ logs: 'two\n', more: false })
  expect(await runtime.cancelRun({ run_id: other }, call)).toMatchObject({ status: 'cancelled' })
  expect(findProcesses('7919')).toEqual([])
  await waitUntil(() => findRunners(data).length === 0)
})

it.each([0, 50, 150, 300, 500, 700, 900, 1200])(
  'a front that is killed %i ms after a call loses no run that it acknowledged',
  async (ms) => {
    const { data, runtime, call, waitForEnd } = await createDetachingRuntime()
    const front = startFront(data, ['sleep 0.2; echo done', 'sleep 0.2; echo done'])
    await waitUntil(() => front.hasStarted())
    await sleep(ms)
    await front.kill()
    for (const id of front.ids()) {
      expect(await waitForEnd(id)).toMatchObject({ status: 'completed', log_bytes: 5 })
    }
    // A run that was not acknowledged has not begun, or ends like any other.
    await waitUntil(() => findRunners(data).length === 0)
    const { runs } = await runtime.listRuns({}, call)
    expect(runs.filter(({ status }) => status !== 'completed' && status !== 'cancelled')).toEqual(
      [],
    )
  },
)

it('a run that waits for a slot ends with its front', async () => {
  const { data, runtime, call } = await createDetachingRuntime()
  const front = startFront(data, ['sleep 100', 'sleep 100'], { 'run.max_concurrent': 1 })
  await waitUntil(() => front.ids().length === 1 && findRunners(data).length === 2)
  await sleep(500)
  expect(front.ids()).toHaveLength(1)
  await front.kill()
  await waitUntil(() => findRunners(data).length === 1)
  const { runs } = await runtime.listRuns({}, call)
  expect(runs).toMatchObject([{ run_id: front.ids()[0], status: 'running' }])
  await runtime.cancelRun({ run_id: front.ids()[0] ?? '' }, call)
})

it('a run whose runner is killed is reported as interrupted, and no process is left', async () => {
  const { data, runtime, call, detach, readLogs } = await createDetachingRuntime()
  const id = await detach('echo before; sleep 7901 & sleep 7901')
  await waitUntil(async () => (await readLogs(id)) === 'before\n')
  // Both processes start after the line that was read.
  await waitUntil(() => findProcesses('7901').length > 0)
  process.kill(readRunnerPid(data, id), 'SIGKILL')
  const run = await runtime.getRun({ run_id: id, wait_ms: LONG_MS }, call)
  expect(run).toMatchObject({
    status: 'interrupted',
    ended_at: null,
    error: { type: 'run/interrupted' },
  })
  expect(run.result).toBeUndefined()
  await waitUntil(() => findProcesses('7901').length === 0)
  expect(await readLogs(id)).toBe('before\n')
  // The share of the caller is free again.
  expect((await runtime.listRuns({ status: 'running' }, call)).runs).toEqual([])
})

it('a runner that is killed before the run begins leaves nothing', async () => {
  const { data, runtime, call, detach } = await createDetachingRuntime()
  const starting = detach('true').catch((error: { code: string }) => error.code)
  await waitUntil(() => findRunners(data).length === 1)
  process.kill(findRunners(data)[0] as number, 'SIGKILL')
  expect(await starting).toBe('run/interrupted')
  expect((await runtime.listRuns({}, call)).runs).toEqual([])
  expect(readdirSync(join(data, 'detached'))).toEqual(['drafts'])
})

it('a secret is in no file and in no argv or environment of a runner', async () => {
  const { data, runtime, call, waitForEnd } = await createDetachingRuntime()
  const secret = 'detached-secret-0123456789'
  const dir = mkdtempSync(join(data, 'skill-'))
  const { writeTree } = await import('../../../helpers/skills.ts')
  writeTree(dir, {
    'skill.toml': `name = "test.secret"
version = "0.1.0"
description = "x"
kind = "action"
[permissions]
secrets = ["API_KEY"]
[runtime]
language = "python"
entrypoint = "main.py"
export = "main"
`,
    'main.py': `import os, time
def main(args):
    print(os.environ["API_KEY"], flush=True)
    time.sleep(1.5)
    raise ValueError("lost " + os.environ["API_KEY"] + str(len(os.environ["API_KEY"])))
`,
  })
  const { executeEntry } = await import('../../../../src/core/methods/execute-skill/handler.ts')
  const { readEntryAt } = await import('../../../../src/core/skills/repository/open-repository.ts')
  const entry = await readEntryAt(dir)
  const { run_id: id } = await executeEntry(
    runtime,
    { entry, detach: true },
    {
      ...call,
      grants: { secrets: new Map([['API_KEY', secret]]) },
      env: { ...call.env, OTHER: `${secret}2` },
    },
  )
  const pid = readRunnerPid(data, id)
  for (const file of ['cmdline', 'environ']) {
    expect(readProc(pid, file)).not.toBe('')
    expect(readProc(pid, file)).not.toContain(secret)
  }
  const run = await waitForEnd(id)
  // The control: the code got the secret.
  expect(run).toMatchObject({
    status: 'failed',
    error: { message: `lost [redacted]${secret.length}` },
  })
  expect(findFilesWith(data, secret)).toEqual([])
  expect(findFilesWith(data, 'lost [redacted]').length).toBeGreaterThan(0)
})

/** Files below a folder that contain a text. */
function findFilesWith(dir: string, text: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => existsSync(path) && statSync(path).isFile())
    .filter((path) => readFileSync(path, 'latin1').includes(text))
}
