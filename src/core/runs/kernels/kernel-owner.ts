import type { RunCaller } from '../run-call.ts'

/** Key under which the kernels of a caller are found, and no others. */
export function resolveKernelOwner({ name, principal, kernelScope }: RunCaller = {}): string {
  return JSON.stringify([name ?? null, principal ?? null, kernelScope ?? null])
}
