import { resolveKernelOwner } from '../../runs/kernels/kernel-owner.ts'
import { deriveSessionKey } from '../../skill-context/session-key.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'

type SessionServices = Pick<Services, 'kernels' | 'liveSessions' | 'sharedSandboxes'>

/** Ends every command and kernel of a session, and its sandboxes with all of their processes. */
export async function endSession(
  services: SessionServices,
  session: string,
  { caller }: Pick<RunCall, 'caller'>,
): Promise<void> {
  const key = deriveSessionKey(session, caller?.name)
  await (await services.liveSessions()).endSession(key)
  await (await services.sharedSandboxes()).endSession(key)
  const owner = resolveKernelOwner(caller, session)
  await (await services.kernels()).endOwner(owner)
}

/** Ends all commands, kernels and sandboxes of a runtime, which starts no more of them. */
export async function endAllSessions(services: SessionServices): Promise<void> {
  const [sessions, sandboxes, kernels] = await Promise.all([
    services.liveSessions(),
    services.sharedSandboxes(),
    services.kernels(),
  ])
  await Promise.all([sessions.endAll(), sandboxes.stop(), kernels.stop()])
}
