import type { ConnectionError, ProtocolError } from '../../client/index.ts'
import { isErrorCode, RPC_ERRORS, SkillsError, type ErrorCode } from '../../errors.ts'
import { isConnectionError, isProtocolError } from '../../runtime-handle/remote-context.ts'
import type { RemoteTarget } from './remote-options.ts'

/** Converts a remote runtime's error to the equivalent local error. */
export function explainRemoteError(thrown: unknown, target: RemoteTarget): unknown {
  if (isProtocolError(thrown)) return convertProtocolError(thrown, target)
  return isConnectionError(thrown) ? convertConnectionError(thrown, target) : thrown
}

const INVALID_PARAMS_PREFIX = 'Invalid params: '

/** Removes the JSON-RPC prefix from a parameter error: a command line has options, not params. */
export function explainParamsError(thrown: unknown): unknown {
  if (!(thrown instanceof SkillsError) || !thrown.message.startsWith(INVALID_PARAMS_PREFIX))
    return thrown
  const { code, hint, data } = thrown
  return new SkillsError(code, stripParamsPrefix(thrown.message), { hint, data, cause: thrown })
}

function stripParamsPrefix(message: string): string {
  return message.startsWith(INVALID_PARAMS_PREFIX)
    ? message.slice(INVALID_PARAMS_PREFIX.length)
    : message
}

function convertProtocolError(error: ProtocolError, { url }: RemoteTarget): SkillsError {
  const { kind: _, param, reason, hint, ...data } = readErrorData(error)
  const text = stripParamsPrefix(error.message)
  const code = toErrorCode(error)
  const facts = code === 'params/invalid' ? { param, reason, ...data } : data
  return new SkillsError(code, text, {
    hint: HINTS_BY_CODE[code] ?? (typeof hint === 'string' ? addUrl(hint, url) : undefined),
    data: { rpc_code: error.code, ...facts },
    cause: error,
  })
}

/** Names the server in the commands of a hint, which would look at this machine without it. */
function addUrl(hint: string, url: string): string {
  return hint.replaceAll(/(skills runs show [\w-]+)(?: --url <url>)?/g, `$1 --url ${url}`)
}

const HINTS_BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  'auth/required': 'Set SKILLS_TOKEN, or pass a token file with --token-file',
  'auth/scope': 'Use a token with the required scope',
  'run/busy': 'Try again in a moment',
}

function readErrorData({ data }: ProtocolError): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

/**
 * Maps a JSON-RPC code to an error code; a more specific code in the error data takes precedence.
 */
function toErrorCode(error: ProtocolError): ErrorCode {
  const data = readErrorData(error)
  if (typeof data['kind'] === 'string' && isErrorCode(data['kind'])) return data['kind']
  const meaning = RPC_ERRORS.find(({ code }) => code === error.code)?.message
  switch (meaning) {
    case 'Invalid params':
      return toParamErrorCode(data)
    case 'Method not found':
      return 'rpc/unknown-method'
    case 'Unauthorized':
      return 'auth/required'
    case 'Denied by policy':
      return data['scope'] === undefined ? 'policy/denied' : 'auth/scope'
    case 'Too busy':
      return 'run/busy'
    case 'Too large':
      return data['blob_id'] === undefined ? 'file/too-large' : 'blob/too-large'
    default:
      return 'remote/unexpected'
  }
}

/** Infers from the error data whether a file, blob or skill was not found. */
function toParamErrorCode({
  param,
  name,
  version,
  id,
  blob_id: blob,
}: Record<string, unknown>): ErrorCode {
  if (param === 'path') return 'file/not-found'
  if (param === 'blob_id' || param === 'input_blobs' || id !== undefined || blob !== undefined) {
    return 'blob/not-found'
  }
  if (version !== undefined) return 'skill/version-not-found'
  if (name !== undefined) return 'skill/not-found'
  return param === 'name' ? 'skill/not-executable' : 'params/invalid'
}

function convertConnectionError(
  error: ConnectionError,
  { url, source }: RemoteTarget,
): SkillsError {
  const { problem, message, location } = error
  const cause = error
  switch (problem) {
    case 'unreachable':
      return new SkillsError('remote/unreachable', message, {
        hint: `Check ${source}, and that the runtime is running: skills serve`,
        cause,
      })
    case 'timeout':
      return new SkillsError('remote/timeout', message, {
        hint: 'Try again, or check the state of the runtime',
        cause,
      })
    case 'broken':
      return new SkillsError('remote/broken', message, {
        hint: 'Check that the runtime is still running; the request may have completed',
        cause,
      })
    case 'redirect':
      return new SkillsError('remote/unexpected', message, {
        hint: `Use the final address: --url${location === undefined ? '' : ` ${location}`}`,
        cause,
      })
    default:
      return new SkillsError('remote/unexpected', `"${url}" is not a Skills Runtime: ${message}`, {
        hint: `Check ${source}: the address of a runtime is such as http://127.0.0.1:8080/rpc`,
        cause,
      })
  }
}
