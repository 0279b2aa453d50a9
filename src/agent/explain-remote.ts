import type { ProtocolError } from '../client/errors.ts'
import { isErrorCode, SkillsError, type ErrorCode } from '../errors.ts'
import { isConnectionError, isProtocolError } from '../runtime-handle/remote-context.ts'

const INVALID_PARAMS_PREFIX = 'Invalid params: '

/** Converts an error of a remote runtime to the error that a local runtime would throw. */
export function explainForModel(thrown: unknown): unknown {
  if (isProtocolError(thrown)) return toLocalError(thrown)
  if (!isConnectionError(thrown)) return thrown
  const { message, problem } = thrown
  const code = problem === 'unreachable' ? 'remote/unreachable' : 'remote/broken'
  return new SkillsError(code, message, {
    hint: 'Continue without it, or try again',
    cause: thrown,
  })
}

function toLocalError(error: ProtocolError): SkillsError {
  const { kind, hint, ...data } = (error.data ?? {}) as Record<string, unknown>
  const code: ErrorCode = typeof kind === 'string' && isErrorCode(kind) ? kind : 'remote/unexpected'
  const isLocated = error.message.startsWith(INVALID_PARAMS_PREFIX)
  return new SkillsError(
    code,
    isLocated ? error.message.slice(INVALID_PARAMS_PREFIX.length) : error.message,
    {
      // Omits a hint that the message already contains.
      hint: typeof hint === 'string' && !error.message.includes(hint) ? hint : undefined,
      data,
      cause: error,
    },
  )
}
