import type { RuntimeHandle } from '../../runtime-handle/handle.ts'

/** A runtime for one command line. */
export interface CommandHandle extends RuntimeHandle {
  /** The whole id of which a person typed the beginning. A remote runtime cannot search for ids. */
  completeId(noun: 'blob' | 'run', word: string): Promise<string>
}
