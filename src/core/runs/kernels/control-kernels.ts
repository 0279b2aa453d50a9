import type { Services } from '../../services.ts'
import type { RunCall, RunCaller } from '../run-call.ts'
import { checkKernelId } from './kernel-id.ts'
import type { KernelKey, KernelSummary } from './kernels.ts'

type KernelServices = Pick<Services, 'kernels'>

/** Key under which the kernels of a caller are found, and no others. */
export function resolveKernelOwner({ name, principal, kernelScope }: RunCaller = {}): string {
  return JSON.stringify([name ?? null, principal ?? null, kernelScope ?? null])
}

export async function listKernels(
  services: KernelServices,
  _: object,
  call: RunCall,
): Promise<{ kernels: readonly KernelSummary[] }> {
  return { kernels: (await services.kernels()).list(resolveKernelOwner(call.caller)) }
}

export async function interruptKernel(
  services: KernelServices,
  { kernel }: { kernel: string },
  call: RunCall,
): Promise<{ kernel: string; interrupted: boolean }> {
  const interrupted = (await services.kernels()).interrupt(createKey(kernel, call))
  return { kernel, interrupted }
}

export async function restartKernel(
  services: KernelServices,
  { kernel }: { kernel: string },
  call: RunCall,
): Promise<{ kernel: string; language: string }> {
  const { language } = await (await services.kernels()).restart(createKey(kernel, call))
  return { kernel, language }
}

export async function endKernel(
  services: KernelServices,
  { kernel }: { kernel: string },
  call: RunCall,
): Promise<{ kernel: string; ended: boolean }> {
  await (await services.kernels()).end(createKey(kernel, call))
  return { kernel, ended: true }
}

function createKey(id: string, call: RunCall): KernelKey {
  return { owner: resolveKernelOwner(call.caller), id: checkKernelId(id) }
}
