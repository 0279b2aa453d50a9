import { join } from 'node:path'

/** Stores that are folders of the data directory. */
export type StoreName =
  | 'audit'
  | 'blobs'
  | 'detached'
  | 'outputs'
  | 'runs'
  | 'sessions'
  | 'workspaces'

/** Returns the folder of a store. */
export function getStoreFolder(dataDir: string, store: StoreName): string {
  return join(dataDir, store)
}
