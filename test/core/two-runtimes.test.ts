import { resolveStoreLimits } from '../../src/core/storage/store-limits.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRunId } from '../../src/core/runs/history/run-id.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import { createExecutor } from '../helpers/execute.ts'
import { createFolder } from '../helpers/skills.ts'
import { createRecord } from './runs/history/example-record.ts'
import { createRuntimeIn } from './runs/run-action.ts'

const call = { cwd: '/', env: { PATH: '/usr/bin:/bin' } }
const HOURS_MS = 2 * 3_600_000

/** Two runtimes in this process, each with its own data folder. */
async function createPair(
  first: Record<string, unknown> = {},
  second: Record<string, unknown> = {},
) {
  return await Promise.all([
    createRuntimeIn(createFolder(), first),
    createRuntimeIn(createFolder(), second),
  ])
}

async function readOutput(runtime: Runtime, code: string) {
  const ran = await runtime.runCode({ language: 'python', code: `def main(args):\n${code}` }, call)
  return { output: ran.output, path: ran.isolation?.path, reason: ran.isolation?.reason }
}

const createSkill = (version: string) => ({
  manifest: { name: 'demo.note', version, description: 'A note.', kind: 'instruction' },
  skill_md: '---\nname: note\ndescription: A note.\n---\n\n# Note\n',
})

describe('two runtimes in one process', () => {
  it('have separate quotas', async () => {
    const [full, other] = (await createPair({}, {})).map(({ config }) => {
      const { blobs, uploads } = resolveStoreLimits(config)
      const stores = {
        blobs: { ...blobs, quotaBytes: 15 },
        uploads: { ...uploads, maxSkills: 1 },
      }
      return createRuntime({ config, cacheDir: null, bounds: { stores } })
    }) as [Runtime, Runtime]
    const blob = { content: '0123456789', kind: 'text/plain' }
    await full.createBlob(blob)
    await full.createSkill(createSkill('1.0.0'))
    await expect(full.createBlob(blob)).rejects.toMatchObject({ code: 'blob/quota' })
    await expect(full.createSkill(createSkill('1.0.1'))).rejects.toMatchObject({
      code: 'skill/quota',
    })
    expect(await other.createBlob(blob)).toMatchObject({ size_bytes: 10 })
    expect(await other.createSkill(createSkill('1.0.0'))).toMatchObject({ version: '1.0.0' })
  })

  it('sweep their own data, also in the same folder', async () => {
    const data = createFolder()
    const blob = { content: 'x', kind: 'text/plain' }
    const [before, after] = [await createRuntimeIn(data), await createRuntimeIn(data)]
    const { blob_id: old } = await before.createBlob(blob)
    const name = old.slice('blob:'.length)
    const file = join(data, 'blobs', name, 'content')
    const then = new Date(Date.now() - 365 * 24 * HOURS_MS)
    utimesSync(join(file, '..'), then, then)
    utimesSync(join(data, 'blobs/.swept'), then, then)
    await after.createBlob(blob)
    await expect.poll(() => statSync(file, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('reserve ids and record runs separately', async () => {
    const [one, other] = await createPair()
    const id = one.ids.reserve()
    expect([other.ids.consume(id), one.ids.consume(id)]).toEqual([false, true])
    const record = createRecord(createRunId())
    const options = { isIdFromCaller: true, maxLogBytes: 0 }
    for (const { runs } of [one, other])
      await (await (await runs()).open(record, options)).close(record)
    await expect((await one.runs()).open(record, options)).rejects.toThrow('already')
    const alone = createRecord(createRunId())
    await (await (await one.runs()).open(alone, options)).close(alone)
    await expect((await other.runs()).get(alone.run_id)).rejects.toMatchObject({
      code: 'run/not-found',
    })
  })

  it('do not touch each other’s runs in the same folder', async () => {
    const data = createFolder()
    const [one, other] = [
      await (await createRuntimeIn(data)).runs(),
      await (await createRuntimeIn(data)).runs(),
    ]
    const record = { ...createRecord(createRunId()), status: 'running' as const }
    const open = await one.open(record, { isIdFromCaller: false, maxLogBytes: 0 })
    expect(await other.get(record.run_id)).toMatchObject({ status: 'running' })
    await other.expire()
    expect(await other.get(record.run_id)).toMatchObject({ status: 'running' })
    await open.close({ ...record, status: 'completed' })
    expect(await other.get(record.run_id)).toMatchObject({ status: 'completed' })
  })

  it('apply separate policies', async () => {
    const [strict, open] = [
      await createExecutor('', { policy: '[deny]\nlanguages = ["shell"]\n' }),
      await createExecutor(),
    ]
    const job = { runtime: 'shell', code: 'echo hi' } as const
    expect(await strict.run(job)).toMatchObject({ status: 'denied' })
    expect(await open.run(job)).toMatchObject({ status: 'success' })
  })

  it('store separate sessions', async () => {
    const [loaded, other] = await createPair()
    for (const runtime of [loaded, other]) await runtime.createSkill(createSkill('1.0.0'))
    await loaded.skillLoad({ session: 's', skill: 'demo.note' })
    const hasNote = async (runtime: Runtime) =>
      (await runtime.skillContext({ session: 's', peek: true })).system.includes('# Note')
    expect([await hasNote(loaded), await hasNote(other)]).toEqual([true, false])
  })

  it('choose and ask programs separately', async () => {
    const home = createFolder()
    const python = join(home, 'python3')
    const starts = join(home, 'starts')
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', join(home, 'venv')])
    const shim = `#!/bin/sh\necho started >> '${starts}'\nexec '${home}/venv/bin/python3' "$@"\n`
    writeFileSync(python, shim, { mode: 0o755 })
    const [one, same] = await createPair({ 'run.python': python }, { 'run.python': python })
    const plain = await createRuntimeIn(createFolder())
    const at = { ...call, python }
    for (const { sandboxes } of [one, one, same]) {
      const { mounts } = await sandboxes.findInterpreter(at)
      expect(mounts.map(({ target }) => target)).toEqual(['/python-environment'])
    }
    expect(readFileSync(starts, 'utf8')).toBe('started\nstarted\n')
    const finds = '    import os\n    return os.path.exists("/python-environment")\n'
    expect((await readOutput(one, finds)).output).toBe(true)
    expect((await readOutput(plain, finds)).output).toBe(false)
  })

  it('keep separate warm sandboxes', async () => {
    const [warm, cold] = await createPair()
    const pool = await warm.keepWarm(call)
    onTestFinished(async () => await warm.sandboxes.stop())
    await pool.waitUntilSettled()
    expect(pool.problem).toBeUndefined()
    const nothing = '    return None\n'
    expect(await readOutput(warm, nothing)).toMatchObject({ path: 'warm' })
    expect(await readOutput(cold, nothing)).toMatchObject({ path: 'cold', reason: 'single call' })
    expect(cold.sandboxes.pool).toBeUndefined()
  })
})
