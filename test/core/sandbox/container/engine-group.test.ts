// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { EngineGroup } from '../../../../src/core/sandbox/container/engine-group.ts'
import {
  runEngine,
  findEngine,
  type ContainerEngine,
} from '../../../../src/core/sandbox/container/engine.ts'
import { listSystemMounts } from '../../../../src/core/sandbox/container/host-files.ts'
import { createFolder } from '../../../helpers/skills.ts'

const MIB = 1024 ** 2
const isRoot = process.getuid?.() === 0
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const { probe } = await new Sandboxes().openBackend('container')
const here = await probe(env, { engine: 'podman', runtime: 'default', image: undefined })
const canLimit = here.ok && isRoot
const whyNot = canLimit ? '' : ` (not run: ${here.ok ? 'only root may limit here' : here.detail})`

/**
 * Starts a container with limits of 64 MiB and 20 processes. Returns the PID of its first process.
 */
async function startLimited(): Promise<number> {
  const engine = findEngine(
    { engine: 'podman', runtime: 'default', image: undefined },
    env,
  ) as ContainerEngine
  const name = `skills-test-${process.pid}`
  onTestFinished(async () => void (await runEngine(engine, ['rm', '--force', '--time', '0', name])))
  const args = [
    ['run', '--detach', '--name', name, '--network', 'none'],
    ['--ulimit', 'nofile=256:256', '--ulimit', 'nproc=256:256'],
    ['--memory', String(64 * MIB), '--memory-swap', String(64 * MIB), '--pids-limit', '20'],
    listSystemMounts().flatMap(({ source, target }) => ['--volume', `${source}:${target}:ro`]),
    ['--rootfs', createFolder({ 'etc/hosts': '' }), '/usr/bin/sleep', '600'],
  ].flat()
  const started = await runEngine(engine, args)
  if (!started.ok) throw new Error(started.stderr)
  return Number((await runEngine(engine, ['inspect', '--format', '{{.State.Pid}}', name])).stdout)
}

describe.skipIf(!canLimit)(`the control group of a container engine${whyNot}`, () => {
  it('counts processor time', async () => {
    const group = new EngineGroup({ memoryBytes: 64 * MIB, processes: 20 })
    await group.add(await startLimited())
    expect(group.cpuMs?.()).toBeGreaterThan(0)
  })

  it('is used only if its limits are not above the requested ones', async () => {
    const pid = await startLimited()
    const judge = async (limits: { memoryBytes: number; processes: number }) => {
      const group = new EngineGroup(limits)
      await group.add(pid)
      const counts = group.cpuMs !== undefined
      return {
        holds: group.isLimited,
        counts,
        hits: [group.memoryKills(), group.refusedProcesses()],
      }
    }
    const none = { hits: [0, 0] }
    expect(await judge({ memoryBytes: 64 * MIB, processes: 20 })).toEqual({
      holds: true,
      counts: true,
      ...none,
    })
    expect(await judge({ memoryBytes: 63 * MIB, processes: 20 })).toEqual({
      holds: false,
      counts: false,
      ...none,
    })
    expect(await judge({ memoryBytes: 64 * MIB, processes: 19 })).toEqual({
      holds: false,
      counts: false,
      ...none,
    })
  })
})
