import { SkillsError } from '../../errors.ts'

/** JSON-RPC clients may repeat a call after this time. */
const RETRY_AFTER_MS = 2000

/** The engine did not answer for longer than the fleet waits. */
export function engineAwayError(servers: string, cause?: unknown): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The engine of the fleet at "${servers}" does not answer`,
    {
      hint: 'Check that nats-server is running there, then repeat the call',
      data: { retry_after_ms: RETRY_AFTER_MS },
      cause,
    },
  )
}

/** The key of this node has no permission for a subject. The engine does not answer such a message. */
export function engineRefusalError(servers: string, subject: string, cause: unknown): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The engine of the fleet at "${servers}" does not allow this node to send to "${subject}"`,
    {
      hint: 'Update the permissions in the configuration of nats-server: type "skills fleet keys config" with the list of keys',
      data: { retry_after_ms: RETRY_AFTER_MS },
      cause,
    },
  )
}

/** The server, or the account of this node, stores no messages. */
export function noJetStreamError(servers: string, cause?: unknown): SkillsError {
  return new SkillsError('fleet/unavailable', `The engine at "${servers}" has no JetStream`, {
    hint: 'Start it with "nats-server -js", or add "jetstream {}" to its configuration',
    cause,
  })
}

/** The engine refuses to store more. */
export function engineFullError(stream: string, cause: unknown): SkillsError {
  return new SkillsError('store/full', `The engine of the fleet cannot store more ${stream}`, {
    hint: 'Raise the limits of JetStream in its configuration, or shorten store.runs.ttl and store.ttl',
    cause,
  })
}
