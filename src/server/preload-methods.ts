import { setImmediate } from 'node:timers/promises'
import { METHODS } from '../core/methods/index.ts'

/**
 * Loads the modules of all methods, one at a time between requests. Node caches a failed import for
 * good, so a first call without free file descriptors would break its method until the restart.
 */
export async function preloadMethods(): Promise<void> {
  const loads = [
    ...METHODS.map((method) => () => method.load()),
    async () => await import('../core/runs/perform-run.ts'),
    async () => await import('../core/runs/supervise/function.ts'),
    async () => await import('../core/runs/supervise/program.ts'),
  ]
  for (const load of loads) {
    await load()
    await setImmediate()
  }
}
