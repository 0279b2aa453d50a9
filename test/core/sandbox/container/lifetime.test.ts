// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import {
  runEngine,
  findEngine,
  type ContainerEngine,
} from '../../../../src/core/sandbox/container/engine.ts'
import { removeContainers } from '../../../../src/core/sandbox/container/sweep-containers.ts'
import { createActionSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createSharedMark } from '../../../../src/util/owner.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { buildMain, runPython } from '../../runs/run-python.ts'
import { BIN } from '../../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const { probe } = await new Sandboxes().openBackend('container')
const here = await probe(env, { engine: 'podman', runtime: 'default', image: undefined })
const whyNot = here.ok ? '' : ` (not run: ${here.detail})`

/** Lists our containers, running or not. */
async function listContainers(): Promise<string[]> {
  const engine = findEngine(
    { engine: 'podman', runtime: 'default', image: undefined },
    env,
  ) as ContainerEngine
  const list = ['ps', '--all', '--filter', 'label=skills.run', '--format', '{{.Names}}']
  return (await runEngine(engine, list)).stdout.split('\n').filter((name) => name !== '')
}

/** Creates a container such as a dead process would have left. */
async function leaveContainer(name: string): Promise<void> {
  const engine = findEngine(
    { engine: 'podman', runtime: 'default', image: undefined },
    env,
  ) as ContainerEngine
  const args = ['create', '--name', name, '--label', 'skills.run=x', '--network', 'none']
  const { ok, stderr } = await runEngine(engine, [
    ...args,
    '--rootfs',
    createFolder({ 'bin/true': '' }),
    '/bin/true',
  ])
  if (!ok) throw new Error(stderr)
}

async function eventually(condition: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await condition()) return true
    await sleep(100)
  }
  return false
}

describe.skipIf(!here.ok)(`the lifetime of a container${whyNot}`, () => {
  const settings = { 'run.backend': 'container', 'run.container.engine': 'podman' }

  it('ends for containers of dead processes, but not for those of living ones', async () => {
    const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19]
    const place = createSharedMark().split('.')[0]
    const [gone, there, elsewhere] = [
      `skills.${place}.999999999-1.run_gone`,
      `skills.${place}.${process.pid}-${own}.run_there`,
      // Contains this process's id, so that leftovers of an interrupted test do not collide.
      `skills.0badcafe.999999999-1.run_elsewhere${process.pid}`,
    ] as const
    const all = [gone, there, elsewhere]
    const engine = findEngine(
      { engine: 'podman', runtime: 'default', image: undefined },
      env,
    ) as ContainerEngine
    onTestFinished(async () => await removeContainers(engine, all))
    await Promise.all(all.map(leaveContainer))
    // Another process that starts a container also sweeps, so the first one may be gone already.
    expect(await listContainers()).toEqual(expect.arrayContaining([there, elsewhere]))
    await runPython(buildMain('return 1'), { settings, call: { env } })
    const left = await listContainers()
    expect(left).not.toContain(gone)
    expect(left).toContain(there)
    // The processes of another container or machine are not visible here.
    expect(left).toContain(elsewhere)
  }, 60_000)

  it('ends with a cancelled run', async () => {
    const controller = new AbortController()
    let name = ''
    const run = runPython(buildMain('print("begun", flush=True)\ntime.sleep(600)'), {
      settings,
      call: {
        env,
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === 'state') name = event.run_id
          if (event.type === 'log') controller.abort()
        },
      },
    })
    await expect(run).rejects.toMatchObject({ code: 'run/cancelled' })
    expect((await listContainers()).filter((each) => each.includes(name))).toEqual([])
  })

  it.each([0, 30, 100, 200])(
    'ends with a run that is cancelled %i ms into its start',
    async (delay) => {
      const controller = new AbortController()
      const run = runPython(buildMain('time.sleep(600)'), {
        settings,
        call: {
          env,
          signal: controller.signal,
          onEvent: (event) => {
            if (event.type !== 'state' || event.state !== 'starting') return
            setTimeout(() => controller.abort(), delay)
          },
        },
      })
      await expect(run).rejects.toMatchObject({ code: 'run/cancelled' })
      const own = `.${process.pid}-`
      expect(
        await eventually(async () => !(await listContainers()).some((name) => name.includes(own))),
      ).toBe(true)
    },
  )

  it('ends with a killed caller, and the next run removes what is left', async () => {
    const code =
      'def main(args):\n    import time\n    print("begun", flush=True)\n    time.sleep(600)\n'
    const dir = createFolder(
      prefixPaths('skill', { ...createActionSkill('demo.lost'), 'code/main.py': code }),
    )
    const words = [BIN, 'exec', join(dir, 'skill')]
    const caller = spawn(process.execPath, [...words, '--no-config'], {
      cwd: ROOT,
      env: { ...env, SKILLS_RUN_BACKEND: 'container', SKILLS_DIRECTORIES_DATA: dir },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await once(caller.stderr, 'data')
    const mark = `${caller.pid}-`
    const ofCaller = async () => (await listContainers()).filter((name) => name.includes(mark))
    expect(await ofCaller()).toHaveLength(1)
    caller.kill('SIGKILL')
    expect(await eventually(async () => (await ofCaller()).length === 0)).toBe(true)
    await runPython(buildMain('return 1'), { settings, call: { env } })
    const stages = join(tmpdir(), `skills-runs-${process.getuid?.()}`)
    expect(readdirSync(stages).filter((name) => name.startsWith(mark))).toEqual([])
  }, 60_000)
})
