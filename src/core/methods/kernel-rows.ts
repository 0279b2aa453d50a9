import { loadLazily } from '../../util/load-lazily.ts'

/** Methods that control kernels, which `run_code` starts. */
export const KERNEL_ROWS = {
  'kernel.list': {
    scope: 'run',
    effect: 'read',
    profiles: ['agent'],
    requires: 'run_code',
    load: loadLazily(async () => (await import('../runs/kernels/control-kernels.ts')).listKernels),
  },
  'kernel.interrupt': {
    scope: 'run',
    effect: 'control',
    profiles: ['agent'],
    requires: 'run_code',
    load: loadLazily(
      async () => (await import('../runs/kernels/control-kernels.ts')).interruptKernel,
    ),
  },
  'kernel.restart': {
    scope: 'run',
    effect: 'control',
    profiles: ['agent'],
    requires: 'run_code',
    load: loadLazily(
      async () => (await import('../runs/kernels/control-kernels.ts')).restartKernel,
    ),
  },
  'kernel.end': {
    scope: 'run',
    effect: 'control',
    profiles: ['agent'],
    requires: 'run_code',
    load: loadLazily(async () => (await import('../runs/kernels/control-kernels.ts')).endKernel),
  },
} as const
