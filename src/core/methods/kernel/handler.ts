import { refusedParam } from '../../../errors.ts'
import { checkKernelId } from '../../runs/kernels/kernel-id.ts'
import { resolveKernelOwner } from '../../runs/kernels/kernel-owner.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { KernelParams, KernelResult } from './definition.ts'

/** `kernel`: lists the kernels of the caller, or controls one of them. */
export async function controlKernel(
  services: Pick<Services, 'kernels'>,
  { action, kernel, session }: KernelParams,
  { caller }: RunCall,
): Promise<KernelResult> {
  const kernels = await services.kernels()
  const owner = resolveKernelOwner(caller, session)
  if (action === 'list') return { kernels: kernels.list(owner) }
  if (kernel === undefined) throw refusedParam('kernel', `The action "${action}" needs a kernel`)
  const key = { owner, id: checkKernelId(kernel) }
  switch (action) {
    case 'interrupt':
      return { kernel, interrupted: kernels.interrupt(key) }
    case 'restart':
      return { kernel, language: (await kernels.restart(key)).language }
    case 'end':
      await kernels.end(key)
      return { kernel, ended: true }
  }
}
