import { SkillsError } from '../../errors.ts'
import { engineAwayError } from '../../fleet/engine/errors.ts'
import { findPermissionViolation } from '../../fleet/engine/find-permission-violation.ts'
import type { NatsEngine } from '../../fleet/engine/open-engine.ts'

interface NamedEngine {
  engine: NatsEngine
  /** Its addresses, for messages. */
  servers: string
}

/** Checks that the engine stores messages. */
export async function requireJetStream({ engine }: Pick<NamedEngine, 'engine'>): Promise<void> {
  await engine.manage(async (manager) => await manager.getAccountInfo())
}

/** Explains an error of the engine's client. Other errors are unchanged. */
export function explainEngineError({ engine, servers }: NamedEngine, thrown: unknown): unknown {
  const { client, connection } = engine
  if (thrown instanceof SkillsError) return thrown
  if (thrown instanceof client.JetStreamApiError) {
    const message = `The engine at "${servers}" refused the request: ${thrown.message}`
    return new SkillsError('fleet/unavailable', message, {
      hint: 'Check the limits and permissions in the configuration of nats-server',
      cause: thrown,
    })
  }
  const refusal = findPermissionViolation(client, thrown)
  if (refusal) {
    const { operation, subject } = refusal
    const message = `The engine at "${servers}" does not permit this key to ${operation} "${subject}"`
    return new SkillsError('fleet/unavailable', message, {
      hint: 'Set fleet.seed to the key of an operator, or change the permissions of nats-server',
      cause: thrown,
    })
  }
  const isSilent = thrown instanceof client.TimeoutError || connection.isClosed()
  return isSilent ? engineAwayError(servers, thrown) : thrown
}
