import type { RunCall } from '../../core/runs/run-call.ts'
import { resolveKernelOwner } from '../../core/runs/kernels/control-kernels.ts'
import { deriveSessionKey } from '../../core/skill-context/session-key.ts'
import { computeDigest } from '../../core/runs/compute-digest.ts'
import type { Method } from '../../core/methods/method.ts'

/** The machine that performs a call. */
export type CallPlace =
  | { where: 'front' }
  /** Any worker with a free place, that has the labels. */
  | { where: 'worker'; labels: readonly string[] }
  /** The worker that has the files or the interpreter of the caller. */
  | { where: 'home'; key: string }

const FRONT: CallPlace = { where: 'front' }

/** Methods that depend on the machine that performs runs. */
const OF_WORKERS: ReadonlySet<string> = new Set([
  'execute_skill',
  'run_code',
  'runtime.execute',
  'runtime.workflow',
  'runtime.languages',
])

/** Methods that use the folder or the processes of a session. */
const OF_SESSIONS = /^(?:workspace_|skill_(?:run|exec|write_stdin|poll_session|kill_session)$)/

/** Decides where a call is performed, by its method and parameters. */
export function findPlace(method: Pick<Method, 'name'>, params: unknown, call: RunCall): CallPlace {
  const { name } = method
  const { session, kernel } = params as { session?: unknown; kernel?: unknown }
  if (name.startsWith('kernel.') || (name === 'run_code' && kernel !== undefined)) {
    return { where: 'home', key: `kernel-${hash(resolveKernelOwner(call))}` }
  }
  if (OF_SESSIONS.test(name) && typeof session === 'string') {
    return { where: 'home', key: `session-${deriveSessionKey(session, call.caller)}` }
  }
  if (!OF_WORKERS.has(name)) return FRONT
  const { repoId } = params as { repoId?: unknown }
  return { where: 'worker', labels: typeof repoId === 'string' ? [`repo:${repoId}`] : [] }
}

function hash(text: string): string {
  return computeDigest(text).slice('sha256:'.length, 'sha256:'.length + 40)
}
