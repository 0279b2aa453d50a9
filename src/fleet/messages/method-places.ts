import type { RunCall } from '../../core/runs/run-call.ts'
import { resolveKernelOwner } from '../../core/runs/kernels/kernel-owner.ts'
import { deriveSessionKey } from '../../core/skill-context/session-key.ts'
import { computeDigest } from '../../core/runs/compute-digest.ts'
import type { Method } from '../../core/methods/method.ts'

/** The machine that performs a call. */
export type CallPlace =
  | { where: 'front' }
  /** Any worker with a free place, that has the labels. */
  | { where: 'worker'; labels: readonly string[] }
  /** The worker that has the files or the interpreter of the caller. */
  | { where: 'home'; key: string; needsProcess: boolean }

const FRONT: CallPlace = { where: 'front' }

/** Methods that depend on the machine that performs runs. */
const OF_WORKERS: ReadonlySet<string> = new Set([
  'check_runtime',
  'execute_skill',
  'run_code',
  'runtime.execute',
  'runtime.workflow',
  'runtime.languages',
])

/** Methods that use the folder or the processes of a session. */
const OF_SESSIONS =
  /^(?:workspace_|run_code$|kernel$|runtime\.execute$|write_stdin$|kill$|skill_(?:run|exec|write_stdin|poll_session|kill_session)$)/

/** Methods for one command, which ends with its worker. */
const OF_PROCESSES = /^(?:kernel|write_stdin|kill|skill_(?:write_stdin|poll_session|kill_session))$/
/** Stands for all commands of a session. */
const WHOLE_SESSION = '*'

/** Decides where a call is performed, by its method and parameters. */
export function findPlace(method: Pick<Method, 'name'>, params: unknown, call: RunCall): CallPlace {
  const { name } = method
  const { session, kernel, session_id: id } = params as { [name: string]: unknown }
  if (usesSession(name, params) && typeof session === 'string') {
    const key = `session-${deriveSessionKey(session, call.caller?.name)}`
    return { where: 'home', key, needsProcess: OF_PROCESSES.test(name) && id !== WHOLE_SESSION }
  }
  if (name === 'kernel' || (name === 'run_code' && kernel !== undefined)) {
    const key = `kernel-${hash(resolveKernelOwner(call.caller, undefined))}`
    return { where: 'home', key, needsProcess: name !== 'run_code' }
  }
  if (!OF_WORKERS.has(name)) return FRONT
  const { repoId } = params as { repoId?: unknown }
  return { where: 'worker', labels: typeof repoId === 'string' ? [`repo:${repoId}`] : [] }
}

/** Files and artifacts are those of a session; other output is read anywhere. */
function usesSession(name: string, params: unknown): boolean {
  if (name !== 'runtime.queryOutput') return OF_SESSIONS.test(name)
  const { artifactHandle: handle } = params as { artifactHandle?: unknown }
  return typeof handle === 'string' && /^(?:artifact|workspace):\/\//.test(handle)
}

function hash(text: string): string {
  return computeDigest(text).slice('sha256:'.length, 'sha256:'.length + 40)
}
