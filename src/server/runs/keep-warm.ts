import type { ServerContext } from '../server-context.ts'

/** Backends whose runs can be forked. */
const KEPT_WARM: ReadonlySet<string> = new Set(['auto', 'namespaces', 'bubblewrap'])

/** Prepares forks for later runs, if the backend supports it and the configuration allows it. */
export async function keepWarm({
  runtime,
  cwd,
  env,
}: Pick<ServerContext, 'runtime' | 'cwd' | 'env'>): Promise<void> {
  const { backend, warm } = runtime.config.run
  if (!runtime.fastPaths || warm === false || !KEPT_WARM.has(backend)) return
  await runtime.sandboxes.keepWarm({ cwd, env })
}
