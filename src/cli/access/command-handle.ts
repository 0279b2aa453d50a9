import type { RuntimeHandle } from '../../runtime-handle/handle.ts'

/** The runtime that a command line uses. */
export interface CommandHandle extends RuntimeHandle {
  /** Completes a shortened id. For a remote runtime it only adds a missing prefix. */
  completeId(kind: 'blob' | 'run', id: string): Promise<string>
}
