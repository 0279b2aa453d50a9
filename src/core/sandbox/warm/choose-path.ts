import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { ColdReason } from './path.ts'
import type { WarmZygote, WarmSandboxes } from './warm-sandboxes.ts'

/**
 * The one place that decides which path a run takes: the zygote that serves it, or why none does.
 *
 * The zygote is a fast path. General way: a sandbox of the run's own (reason "single call").
 * Differential test: test/core/sandbox/warm/same-as-cold.test.ts
 */
export function choosePath(
  pool: WarmSandboxes | undefined,
  request: SandboxRequest,
  interpreter: Interpreter,
): WarmZygote | ColdReason {
  const { network, folders = [], workspace, tools = [] } = request
  if (!pool) return 'single call'
  // Its sockets are bound before the right to do so is given up, and handed over by Node's own channel.
  if (network) return 'network'
  // The zygote sees no folder of the host that it could pass on.
  if (folders.length > 0 || workspace) return 'folders'
  return pool.findZygote(
    interpreter,
    tools.map(({ source }) => source),
  )
}
