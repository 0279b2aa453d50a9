import type { Runtime } from '../runtime.ts'
import type { RunCall } from '../runs/run-call.ts'

/** The backend of the sandboxes of a runtime; with `, strict` if weaker isolation is rejected. */
export async function detectIsolation(
  { config, sandboxes }: Pick<Runtime, 'config' | 'sandboxes'>,
  env: RunCall['env'],
): Promise<string> {
  const { name } = await sandboxes.openBackend(config.run.backend, env)
  return config.run.requireIsolation === 'strict' ? `${name}, strict` : name
}
