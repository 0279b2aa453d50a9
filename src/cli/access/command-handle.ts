import type { RuntimeHandle } from '../../runtime-handle/handle.ts'

/** The runtime that a command line uses. */
export interface CommandHandle extends RuntimeHandle {
  /** Completes a shortened id. A remote runtime cannot search for ids. */
  completeId(noun: 'blob' | 'run', word: string): Promise<string>
}
