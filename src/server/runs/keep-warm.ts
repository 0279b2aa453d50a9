import type { WarmSandboxes } from '../../core/sandbox/warm/warm-sandboxes.ts'
import type { Services } from '../services.ts'

/** Runs after the first ones are forked, where the backend knows how to and the operator wants it. */
export async function keepWarm({
  runtime,
  cwd,
  env,
}: Pick<Services, 'runtime' | 'cwd' | 'env'>): Promise<WarmSandboxes | undefined> {
  const { fastPaths, run } = runtime.config
  const { backend, warm } = run
  if (!fastPaths || !warm || (backend !== 'auto' && backend !== 'bubblewrap')) return undefined
  return await runtime.keepWarm({ cwd, env })
}
