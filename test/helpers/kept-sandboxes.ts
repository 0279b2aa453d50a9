import { Sandboxes } from '../../src/core/sandbox/sandboxes.ts'
import { INHERITED_ENV, INHERITS_FAST_PATHS } from './inherited-env.ts'

/** Sandboxes that all command lines and servers of a worker use: they end with its process. */
class KeptSandboxes extends Sandboxes {
  override async stop(): Promise<void> {}
}

let kept: Promise<Sandboxes> | undefined

export async function keepSandboxes(): Promise<Sandboxes> {
  kept ??= (async () => {
    const sandboxes = new KeptSandboxes({ forks: INHERITS_FAST_PATHS })
    await sandboxes.keepWarm({ cwd: '/', env: INHERITED_ENV })
    return sandboxes
  })()
  return await kept
}

/** The kept sandboxes; none where settings decide how runs start. */
export async function keepSandboxesFor(
  settings: Readonly<Record<string, unknown>>,
  fastPaths?: boolean,
): Promise<Sandboxes | undefined> {
  const isOwn = Object.keys(settings).some(
    (key) => key.startsWith('run.') && !['run.max_concurrent', 'run.max_waiting'].includes(key),
  )
  return isOwn || fastPaths !== undefined ? undefined : await keepSandboxes()
}
