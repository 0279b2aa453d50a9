import { chooseBackend } from '../sandbox/choose-backend.ts'
import { chooseLinuxBackend } from '../sandbox/linux/choose-launcher.ts'
import type { BackendName } from '../sandbox/isolation.ts'
import type { Machine } from './check.ts'

/** Selects the backend of runs on this machine, with the reason. */
export function selectBackend({ config, env }: Pick<Machine, 'config' | 'env'>): {
  name: BackendName
  reason: string
} {
  const { backend } = config.run
  return backend === 'auto'
    ? chooseBackend(env)
    : { name: backend, reason: `run.backend is "${backend}"` }
}

/**
 * Selects the backend whose features are tested: the configured one if it isolates by namespaces,
 * or the one that would be selected without the configuration.
 */
export function selectNamespaceBackend(machine: Pick<Machine, 'config' | 'env'>): BackendName {
  const { name } = selectBackend(machine)
  return name === 'namespaces' || name === 'bubblewrap'
    ? name
    : chooseLinuxBackend(machine.env).name
}

/** Result of a check that only repeats the problem of another one. */
export const NOT_TRIED = { ok: null, detail: 'not tried: the sandbox did not start' }
