import type { RuntimeHandle } from '../../runtime-handle/handle.ts'

/** The runtime that a command line uses. */
export interface CommandHandle extends RuntimeHandle {
  /**
   * Completes a shortened id. `record`: also the beginning of an auditHash, on this machine. A blob of
   * a remote runtime only gets a missing prefix.
   */
  completeId(kind: 'blob' | 'run' | 'record', id: string): Promise<string>
}
