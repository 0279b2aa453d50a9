import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** Folder of uploaded skills: one of the repository's roots. */
export function getUploadsRoot(dataDir: string): string {
  return join(dataDir, 'created')
}

/** True if the path of a resolved skill is that of an upload. */
export function isUploadPath(dataDir: string, localDir: string): boolean {
  return localDir.startsWith(`${getUploadsRoot(dataDir)}/`)
}

/** Same, after resolving symlinks. */
export async function isRealUploadPath(dataDir: string, localDir: string): Promise<boolean> {
  if (isUploadPath(dataDir, localDir)) return true
  const paths = [localDir, dataDir].map(async (each) => await realpath(each).catch(() => ''))
  const [real, realData] = (await Promise.all(paths)) as [string, string]
  return real !== '' && realData !== '' && isUploadPath(realData, real)
}
