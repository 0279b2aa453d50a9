import type { RunCaller } from '../run-call.ts'

/** Key under which the kernels of a caller, or of one of its sessions, are found, and no others. */
export function resolveKernelOwner(
  { name, principal }: RunCaller = {},
  session: string | undefined,
): string {
  return JSON.stringify([name ?? null, principal ?? null, session ?? null])
}
