import type { Backend, SandboxProcess } from '../../../../src/core/sandbox/backend.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'

/**
 * Real sandboxes that start with weaker isolation than requested, as a container without control
 * groups does.
 */
export class WeakSandboxes extends Sandboxes {
  override async openBackend(name: Parameters<Sandboxes['openBackend']>[0]): Promise<Backend> {
    const backend = await super.openBackend(name)
    const start: Backend['start'] = async (request) =>
      weaken(await backend.start({ ...request, strict: false }))
    return { ...backend, start }
  }
}

function weaken(sandbox: SandboxProcess): SandboxProcess {
  return new Proxy(sandbox, {
    get(target, key) {
      if (key === 'isolation') return { ...target.isolation, tier: 'weak' }
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
