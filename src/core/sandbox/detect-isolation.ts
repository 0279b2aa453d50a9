import type { Runtime } from '../runtime.ts'
import type { RunCall } from '../runs/run-call.ts'

/** The backend of the sandboxes of a runtime, and the isolation below which it rejects runs. */
export async function detectIsolation(
  { config, sandboxes }: Pick<Runtime, 'config' | 'sandboxes'>,
  env: RunCall['env'],
): Promise<string> {
  const { name } = await sandboxes.openBackend(config.run.backend, env)
  const { requireIsolation, isolation } = config.run
  const strict = requireIsolation === 'strict' ? ', strict' : ''
  return isolation.strangers === 'any'
    ? name + strict
    : `${name}${strict}, strangers: ${isolation.strangers}`
}
