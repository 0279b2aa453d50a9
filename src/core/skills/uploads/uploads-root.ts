import { join } from 'node:path'

/** Where skills lie that came by create_skill: one of the repository's roots. */
export function getUploadsRoot(dataDir: string): string {
  return join(dataDir, 'created')
}
