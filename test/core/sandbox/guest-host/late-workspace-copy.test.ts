import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Duplex, PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Limits } from '../../../../src/core/sandbox/backend.ts'
import { GuestProcess } from '../../../../src/core/sandbox/guest-host/guest-process.ts'
import { KillBarrier } from '../../../../src/core/sandbox/guest-host/kill-barrier.ts'
import { createFolder } from '../../../helpers/skills.ts'

const LIMITS = { workspaceBytes: 1024 ** 2, inodes: 100, cpuMs: 1000 } as Limits

/** Follows a guest whose control stream ends with these lines after its processes are dead. */
async function followToEnd(lastLines: string) {
  const keepIn = join(createFolder(), 'kept')
  const workspace = createFolder({ file: 'x' })
  const control = duplex()
  const channel = duplex()
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  let die = (): void => {}
  const guest = new GuestProcess(
    {
      stdout,
      stderr,
      control,
      channel,
      init: Promise.resolve(process.pid),
      dead: new Promise<void>((resolve) => (die = resolve)),
      killAll: () => {},
      group: undefined,
      hasLowPriority: false,
      limits: LIMITS,
      ownFileSystems: [],
      workspace: () => workspace,
      remove: () => {},
      keepIn,
    },
    new KillBarrier(),
  )
  guest.ready.catch(() => {})
  guest.start(undefined, () => ({}))
  control.push('{"up":true}\n')
  await sleep(50)
  die()
  await sleep(50)
  control.push(lastLines)
  for (const each of [control, channel]) each.push(null)
  for (const each of [stdout, stderr]) each.end()
  for (const each of [guest.channel, guest.stdout, guest.stderr]) each.resume()
  return { exit: await guest.exited, isKept: existsSync(join(keepIn, 'file')) }
}

function duplex(): Duplex {
  return new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
}

it('a workspace is copied if the start of its run is read only after its death', async () => {
  const { exit, isKept } = await followToEnd('{"ready":{"uid":1}}\n{"exit":0}\n')
  expect(exit.kept).toEqual({ leftOut: 0, unreadable: [] })
  expect(isKept).toBe(true)
})

it('a workspace is not copied if its run never started: a second sandbox takes its place', async () => {
  const { exit, isKept } = await followToEnd('{"exit":1}\n')
  expect(exit.kept).toBeUndefined()
  expect(isKept).toBe(false)
})
