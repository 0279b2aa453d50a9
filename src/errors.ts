/** Mapping of error codes to exit code, HTTP status and JSON-RPC code. */
const OUTCOMES = {
  'usage/invalid': { exit: 2, http: 400, rpc: -32602 },
  'usage/unknown-command': { exit: 2, http: 404, rpc: -32601 },
  'config/invalid': { exit: 2, http: 500, rpc: -32603 },
  'params/invalid': { exit: 2, http: 400, rpc: -32602 },
  'skill/not-found': { exit: 3, http: 404, rpc: -32602 },
  'skill/version-not-found': { exit: 3, http: 404, rpc: -32602 },
  'skill/changed': { exit: 3, http: 409, rpc: -32602 },
  'skill/invalid': { exit: 3, http: 422, rpc: -32602 },
  'skill/not-executable': { exit: 3, http: 422, rpc: -32602 },
  'skill/exists': { exit: 3, http: 409, rpc: -32602 },
  'skill/quota': { exit: 3, http: 507, rpc: -32004 },
  'file/not-found': { exit: 3, http: 404, rpc: -32602 },
  'file/outside': { exit: 3, http: 400, rpc: -32602 },
  'file/too-large': { exit: 3, http: 413, rpc: -32004 },
  'file/unreadable': { exit: 3, http: 500, rpc: -32603 },
  'archive/invalid': { exit: 3, http: 422, rpc: -32602 },
  'archive/too-large': { exit: 3, http: 413, rpc: -32004 },
  'blob/not-found': { exit: 3, http: 404, rpc: -32602 },
  'blob/damaged': { exit: 3, http: 500, rpc: -32603 },
  'blob/too-large': { exit: 3, http: 413, rpc: -32004 },
  'blob/quota': { exit: 3, http: 507, rpc: -32004 },
  'run/not-found': { exit: 3, http: 404, rpc: -32602 },
  'session/not-found': { exit: 3, http: 404, rpc: -32602 },
  'output/not-found': { exit: 3, http: 404, rpc: -32602 },
  'output/expired': { exit: 3, http: 410, rpc: -32602 },
  'output/foreign': { exit: 3, http: 403, rpc: -32002 },
  'output/damaged': { exit: 3, http: 500, rpc: -32603 },
  'run/busy': { exit: 3, http: 503, rpc: -32003 },
  'kernel/not-found': { exit: 3, http: 404, rpc: -32602 },
  'kernel/fixed': { exit: 3, http: 409, rpc: -32602 },
  'run/cancelled': { exit: 130, http: 499, rpc: -32005 },
  'run/interrupted': { exit: 3, http: 503, rpc: -32603 },
  'run/unknown': { exit: 3, http: 504, rpc: -32603 },
  'session/lost': { exit: 3, http: 410, rpc: -32603 },
  'fleet/unavailable': { exit: 3, http: 503, rpc: -32603 },
  'fleet/no-worker': { exit: 3, http: 503, rpc: -32003 },
  'policy/denied': { exit: 1, http: 403, rpc: -32002 },
  'policy/invalid': { exit: 2, http: 500, rpc: -32603 },
  'trust/invalid': { exit: 2, http: 500, rpc: -32603 },
  'lock/invalid': { exit: 2, http: 422, rpc: -32602 },
  'consent/required': { exit: 4, http: 403, rpc: -32002 },
  'signature/malformed': { exit: 2, http: 422, rpc: -32602 },
  'key/not-found': { exit: 3, http: 404, rpc: -32602 },
  'key/exists': { exit: 3, http: 409, rpc: -32602 },
  'key/unusable': { exit: 2, http: 422, rpc: -32602 },
  'repository/unknown': { exit: 3, http: 404, rpc: -32602 },
  'repository/unusable': { exit: 3, http: 500, rpc: -32603 },
  'audit/unavailable': { exit: 3, http: 503, rpc: -32603 },
  'auth/required': { exit: 3, http: 401, rpc: -32001 },
  'sandbox/unavailable': { exit: 3, http: 503, rpc: -32603 },
  'sandbox/too-weak': { exit: 3, http: 503, rpc: -32002 },
  'language/not-installed': { exit: 3, http: 503, rpc: -32603 },
  'dependencies/not-installed': { exit: 3, http: 503, rpc: -32603 },
  'workspace/not-prepared': { exit: 3, http: 500, rpc: -32603 },
  'store/full': { exit: 3, http: 507, rpc: -32004 },
  'store/unavailable': { exit: 3, http: 503, rpc: -32603 },
  'lint/could-not-check': { exit: 3, http: 500, rpc: -32603 },
  'rpc/not-json': { exit: 3, http: 400, rpc: -32700 },
  'rpc/invalid-request': { exit: 3, http: 400, rpc: -32600 },
  'rpc/unknown-method': { exit: 3, http: 404, rpc: -32601 },
  'rpc/answer-too-large': { exit: 3, http: 413, rpc: -32004 },
  'rate/exceeded': { exit: 3, http: 429, rpc: -32003 },
  'quota/exceeded': { exit: 3, http: 429, rpc: -32003 },
  'auth/scope': { exit: 3, http: 403, rpc: -32002 },
  'http/not-found': { exit: 3, http: 404, rpc: -32600 },
  'http/method': { exit: 3, http: 405, rpc: -32600 },
  'http/timeout': { exit: 3, http: 408, rpc: -32600 },
  'http/content-type': { exit: 3, http: 415, rpc: -32600 },
  'http/range': { exit: 3, http: 416, rpc: -32600 },
  'http/too-large': { exit: 3, http: 413, rpc: -32004 },
  'http/untrusted': { exit: 3, http: 403, rpc: -32002 },
  'host/exhausted': { exit: 3, http: 503, rpc: -32603 },
  'serve/port': { exit: 3, http: 503, rpc: -32603 },
  'remote/unreachable': { exit: 3, http: 502, rpc: -32603 },
  'remote/broken': { exit: 3, http: 502, rpc: -32603 },
  'remote/timeout': { exit: 3, http: 504, rpc: -32603 },
  'remote/unexpected': { exit: 3, http: 502, rpc: -32603 },
  'internal/unexpected': { exit: 3, http: 500, rpc: -32603 },
} as const satisfies Record<string, ErrorOutcome>

/** Representation of an error in each transport. */
export interface ErrorOutcome {
  exit: number
  http: number
  rpc: number
}

export type ErrorCode = keyof typeof OUTCOMES

/** True if a word from outside is one of the error codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(OUTCOMES, text)
}

/** JSON-RPC error codes and their messages. */
export const RPC_ERRORS: readonly { code: number; message: string }[] = [
  { code: -32700, message: 'Parse error' },
  { code: -32600, message: 'Invalid Request' },
  { code: -32601, message: 'Method not found' },
  { code: -32602, message: 'Invalid params' },
  { code: -32603, message: 'Internal error' },
  { code: -32001, message: 'Unauthorized' },
  { code: -32002, message: 'Denied by policy' },
  { code: -32003, message: 'Too busy' },
  { code: -32004, message: 'Too large' },
  { code: -32005, message: 'Cancelled' },
]

interface SkillsErrorOptions {
  /** One imperative line: the command to type or the next change. */
  hint?: string | undefined
  /** Data for programs, such as the invalid parameter. */
  data?: Record<string, unknown> | undefined
  cause?: unknown
}

/** The only error class: a request that cannot be fulfilled. */
export class SkillsError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: Record<string, unknown> | undefined

  constructor(code: ErrorCode, message: string, options: SkillsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SkillsError'
    this.code = code
    this.hint = options.hint
    this.data = options.data
  }

  get outcome(): ErrorOutcome {
    return OUTCOMES[this.code]
  }
}

/** Converts any thrown value to a SkillsError; called by the transports only. */
export function toSkillsError(thrown: unknown): SkillsError {
  if (thrown instanceof SkillsError) return explainShortage(thrown)
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  const errno = (cause as NodeJS.ErrnoException).code
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new SkillsError('store/full', 'Cannot write: the disk is full', {
      hint: 'Free some space, or run "skills blobs gc" and "skills runs rm --expired"',
      cause,
    })
  }
  const shortage = findShortage(thrown)
  if (shortage) return exhaustedError(shortage, cause)
  return new SkillsError(
    'internal/unexpected',
    `Something unexpected went wrong: ${cause.message}`,
    {
      hint: 'Run the command again with --debug for details',
      cause,
    },
  )
}

/** Shortages of the host that pass, with the advice for its operator. */
const SHORTAGES = {
  EMFILE: {
    message: 'The runtime has no free file descriptors',
    hint: 'Raise the limit of open files of the runtime, which is at least 256 for one command: ulimit -n 65536',
  },
  ENFILE: {
    message: 'The machine has no free file descriptors',
    hint: 'End other programs, or raise the limit: sysctl fs.file-max',
  },
  ENOMEM: {
    message: 'The machine has no free memory',
    hint: 'End other programs, or lower run.max_concurrent',
  },
} as const

type Shortage = keyof typeof SHORTAGES

/** Time after which a call is worth repeating. */
const RETRY_AFTER_MS = 1000
const MAX_CAUSES = 4

/** A file that cannot be opened for lack of descriptors is neither missing nor unreadable. */
function explainShortage(error: SkillsError): SkillsError {
  const shortage = findShortage(error.cause)
  return shortage && error.code !== 'host/exhausted' ? exhaustedError(shortage, error) : error
}

/** Throws `host/exhausted` for a lack of descriptors or memory, which code must not take as an absence. */
export function throwIfExhausted(thrown: unknown): void {
  const shortage = findShortage(thrown)
  if (shortage) throw exhaustedError(shortage, thrown)
}

function findShortage(thrown: unknown): Shortage | undefined {
  for (let [cause, depth] = [thrown, 0]; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== undefined && Object.hasOwn(SHORTAGES, code)) return code as Shortage
    cause = cause.cause
  }
  return undefined
}

/** An error of the host that passes when other work has ended. */
export function exhaustedError(shortage: Shortage, cause?: unknown): SkillsError {
  const { message, hint } = SHORTAGES[shortage]
  return new SkillsError('host/exhausted', `${message}; try again later`, {
    hint,
    data: { retry_after_ms: RETRY_AFTER_MS },
    cause,
  })
}

/** A parameter with an invalid value. */
export function invalidParamError(param: string, reason: string, hint?: string): SkillsError {
  const message = `Invalid params: '${param}': ${reason}`
  return new SkillsError('params/invalid', message, { hint, data: { param, reason } })
}

/** The same, with a full sentence as reason. */
export function refusedParam(param: string, reason: string): SkillsError {
  return new SkillsError('params/invalid', reason, { data: { param, reason } })
}

export function cancelledError(): SkillsError {
  return new SkillsError('run/cancelled', 'The run was cancelled')
}
