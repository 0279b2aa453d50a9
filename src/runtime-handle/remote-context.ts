import type { SkillsClient } from '../client/client.ts'
import type { ConnectionError, ProtocolError } from '../client/errors.ts'

/** What every part of a remote handle shares. */
export interface RemoteContext {
  client: SkillsClient
  /** Ends calls that have no signal of their own. */
  signal: AbortSignal | undefined
  /** Waits for the runtime and explains its errors. */
  explainErrors: <T>(work: Promise<T>) => Promise<T>
}

// The client is passed in, so its classes are recognised by their names.

export function isProtocolError(thrown: unknown): thrown is ProtocolError {
  return thrown instanceof Error && thrown.name === 'ProtocolError'
}

export function isConnectionError(thrown: unknown): thrown is ConnectionError {
  return thrown instanceof Error && thrown.name === 'ConnectionError'
}
