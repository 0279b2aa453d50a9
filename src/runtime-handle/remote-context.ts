import type { SkillsClient } from '../client/client.ts'
import type { ConnectionError, ProtocolError } from '../client/errors.ts'

/** State shared by all parts of a remote handle. */
export interface RemoteContext {
  client: SkillsClient
  /** Cancels calls that have no signal of their own. */
  signal: AbortSignal | undefined
  /** Awaits a call and converts its errors. */
  explainErrors: <T>(work: Promise<T>) => Promise<T>
}

// The client is passed in and may be another copy of its module, so its errors are recognized by
// name.

export function isProtocolError(thrown: unknown): thrown is ProtocolError {
  return thrown instanceof Error && thrown.name === 'ProtocolError'
}

export function isConnectionError(thrown: unknown): thrown is ConnectionError {
  return thrown instanceof Error && thrown.name === 'ConnectionError'
}
