import { digestContent } from '../../core/skills/content/content-manifest.ts'
import { readContent } from '../../core/skills/content/read-content.ts'
import type { FileDigests } from '../../core/skills/uploads/upload-digests.ts'

/** The digest of a skill's folder, and those of its files. */
export interface FolderDigest {
  digest: string
  files: FileDigests
}

export async function readFolderDigest(folder: string): Promise<FolderDigest> {
  const entries = await readContent(folder)
  return {
    digest: digestContent(entries),
    files: Object.fromEntries(entries.map(({ path, sha256 }) => [path, sha256])),
  }
}
