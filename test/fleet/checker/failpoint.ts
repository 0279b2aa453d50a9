import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import type { CallEnds } from '../../../src/fleet/messages/call-ends.ts'

/** Places at which a stub worker kills itself. */
export const FAILPOINTS = [
  'before-fence',
  'after-fence',
  'in-run',
  'before-end',
  'after-announcement',
  'after-end',
] as const
export type Failpoint = (typeof FAILPOINTS)[number]

/** In this time, an announced answer reaches its front. */
const ANNOUNCEMENT_MS = 100

/** Kills this process at the failpoint that the environment names. Never returns there. */
export async function passFailpoint(name: Failpoint, delayMs = 0): Promise<void> {
  if (process.env['SKILLS_FAILPOINT'] !== name) return
  if (delayMs > 0) await sleep(delayMs)
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

/** An engine with failpoints before and after each fence. */
export function addFencePoints(engine: Engine): Engine {
  return new Proxy(engine, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (typeof value !== 'function') return value
      if (key !== 'create') return (value as (...args: unknown[]) => unknown).bind(target)
      return async (...args: Parameters<Engine['create']>) => {
        const isFence = args[0] === 'calls'
        if (isFence) await passFailpoint('before-fence')
        const made = await target.create(...args)
        if (isFence) await passFailpoint('after-fence')
        return made
      }
    },
  })
}

/** Ends of calls with failpoints before and after each one is stored. */
export function addEndPoints(ends: CallEnds): CallEnds {
  return {
    async write(call, answer, details) {
      await passFailpoint('before-end')
      await passFailpoint('after-announcement', ANNOUNCEMENT_MS)
      const isStored = await ends.write(call, answer, details)
      await passFailpoint('after-end')
      return isStored
    },
    read: async (call) => await ends.read(call),
    declareInterrupted: async (call, reason) => await ends.declareInterrupted(call, reason),
  }
}
