import type { Backend } from './backend.ts'
import type { BackendName } from './isolation.ts'

/** Every backend there is; `auto` is none of them but a choice. */
export const BACKEND_NAMES: readonly BackendName[] = ['bubblewrap', 'container', 'process']

/** Every backend, loaded when it is used. */
const BACKENDS: Readonly<Record<BackendName, () => Promise<Backend>>> = {
  bubblewrap: async () => (await import('./bubblewrap/bubblewrap.ts')).bubblewrap,
  container: async () => (await import('./container/container.ts')).container,
  process: async () => (await import('./process/process.ts')).processBackend,
}

/** The backend of this name; `auto` never means one that isolates less than bubblewrap. */
export async function chooseBackend(name: BackendName | 'auto'): Promise<Backend> {
  return await BACKENDS[name === 'auto' ? 'bubblewrap' : name]()
}
