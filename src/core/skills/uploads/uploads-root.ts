import { join } from 'node:path'

/** Folder of uploaded skills: one of the repository's roots. */
export function getUploadsRoot(dataDir: string): string {
  return join(dataDir, 'created')
}
