import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { ColdReason } from './sandbox-start.ts'
import type { WarmZygote, WarmSandboxes } from './warm-sandboxes.ts'

/**
 * Returns the zygote that serves a run, or the reason for a cold start.
 *
 * The zygote is a fast path. General path: a separate sandbox for the run (reason "single call").
 * Differential test: test/core/sandbox/warm/same-as-cold.test.ts
 */
export function selectZygote(
  pool: WarmSandboxes | undefined,
  request: SandboxRequest,
  interpreter: Interpreter,
): WarmZygote | ColdReason {
  const { network, folders = [], workspace, tools = [], nodePackages = [], guest } = request
  if (!pool) return 'single call'
  // A fork serves one run.
  if (guest.kind === 'commands') return 'session'
  // Its sockets must be bound while the guest is still privileged, and are passed over Node's IPC
  // channel.
  if (network) return 'network'
  // The zygote cannot see host folders.
  if (folders.length > 0 || workspace) return 'folders'
  // Forks have no input besides that of programs.
  if (guest.kind === 'function' && guest.input) return 'interactive'
  // All runs of a zygote share the folder with the links.
  if (nodePackages.length > 0) return 'host packages'
  return pool.findZygote(
    interpreter,
    tools.map(({ source }) => source),
  )
}
