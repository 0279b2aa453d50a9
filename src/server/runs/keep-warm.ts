import type { WarmPool } from '../../core/sandbox/backend.ts'
import type { ServerContext } from '../server-context.ts'

/** Runs after the first ones are forked, where the backend knows how to and the operator wants it. */
export async function keepWarm({
  runtime,
  cwd,
  env,
}: Pick<ServerContext, 'runtime' | 'cwd' | 'env'>): Promise<WarmPool | undefined> {
  const { fastPaths, run } = runtime.config
  const { backend, warm } = run
  if (!fastPaths || !warm || (backend !== 'auto' && backend !== 'bubblewrap')) return undefined
  return await runtime.sandboxes.keepWarm({ cwd, env })
}
