import type { ConnectionError, ProtocolError } from '../client/errors.ts'
import { isErrorCode, SkillsError, type ErrorCode } from '../errors.ts'

const PREFIX = 'Invalid params: '

/** What a runtime elsewhere said, as a model would have read it of one in this process. */
export async function fromRemote<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    throw explain(thrown as Error)
  }
}

/** The classes are known by their names: the client is passed in. */
function explain(thrown: Error): Error {
  if (thrown.name === 'ProtocolError') return fromProtocol(thrown as ProtocolError)
  if (thrown.name !== 'ConnectionError') return thrown
  const { message, problem } = thrown as ConnectionError
  const code = problem === 'unreachable' ? 'remote/unreachable' : 'remote/broken'
  return new SkillsError(code, message, { hint: 'Go on without it, or try again', cause: thrown })
}

function fromProtocol(error: ProtocolError): SkillsError {
  const { kind, hint, ...data } = (error.data ?? {}) as Record<string, unknown>
  const code: ErrorCode = typeof kind === 'string' && isErrorCode(kind) ? kind : 'remote/unexpected'
  const isLocated = error.message.startsWith(PREFIX)
  return new SkillsError(code, isLocated ? error.message.slice(PREFIX.length) : error.message, {
    // A sentence that ends with its hint does not say it twice.
    hint: typeof hint === 'string' && !error.message.includes(hint) ? hint : undefined,
    data,
    cause: error,
  })
}
