import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { ColdReason } from './sandbox-start.ts'
import type { WarmZygote, WarmSandboxes } from './warm-sandboxes.ts'

/**
 * Decides which path a run takes. Returns the zygote that serves it, or the reason for a cold
 * start.
 *
 * The zygote is a fast path. General path: a sandbox of the run's own (reason "single call").
 * Differential test: test/core/sandbox/warm/same-as-cold.test.ts
 */
export function choosePath(
  pool: WarmSandboxes | undefined,
  request: SandboxRequest,
  interpreter: Interpreter,
): WarmZygote | ColdReason {
  const { network, folders = [], workspace, tools = [] } = request
  if (!pool) return 'single call'
  // Its sockets must be bound while the guest is still privileged, and are passed over Node's IPC
  // channel.
  if (network) return 'network'
  // The zygote cannot see host folders.
  if (folders.length > 0 || workspace) return 'folders'
  return pool.findZygote(
    interpreter,
    tools.map(({ source }) => source),
  )
}
