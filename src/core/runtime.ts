import type { Config } from './config/config.ts'
import type { BlobStore } from './store/blob-store.ts'
import type { RunStore } from './record/run-store.ts'
import type { Repository } from './repository/repository.ts'

/** The facade: what every door calls. Parts are made when they are first used. */
export interface Runtime {
  readonly config: Config
  readonly repository: Repository
  readonly blobs: BlobStore
  readonly runs: RunStore
}
