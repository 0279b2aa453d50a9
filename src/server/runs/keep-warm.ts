import type { ServerContext } from '../server-context.ts'

/** Runs after the first ones are forked, where the backend knows how to and the operator wants it. */
export async function keepWarm({
  runtime,
  cwd,
  env,
}: Pick<ServerContext, 'runtime' | 'cwd' | 'env'>): Promise<void> {
  const { fastPaths, run } = runtime.config
  const { backend, warm } = run
  if (!fastPaths || !warm || (backend !== 'auto' && backend !== 'bubblewrap')) return
  await runtime.sandboxes.keepWarm({ cwd, env })
}
