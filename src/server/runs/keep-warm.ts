import type { ServerContext } from '../server-context.ts'

/** Prepares forks for later runs, if the backend supports it and the configuration allows it. */
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
