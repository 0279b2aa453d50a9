import { realpathSync } from 'node:fs'
import { SkillsError } from '../../../errors.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { DOWNLOAD_LIMITS } from '../../packing/read/archive-error.ts'
import { listContent } from '../../skills/content/list-content.ts'
import { readContentFile } from '../../skills/content/read-content.ts'

/** Folders of others, which may be large. */
const SKIPPED = /(?:^|\/)(?:\.git|node_modules)$/

/** Files of a folder that are not installed, without links; undefined above the limits. */
export function readLocalLeftOut(
  folder: string,
  installed: readonly PackedFile[],
): PackedFile[] | undefined {
  const paths = new Set(installed.map(({ path }) => path))
  try {
    const root = realpathSync.native(folder)
    const listed = listContent(folder, (path, isFolder) => isFolder && SKIPPED.test(path))
    const leftOut = listed.filter(({ path, isLink }) => !isLink && !paths.has(path))
    if (leftOut.length > DOWNLOAD_LIMITS.files) return undefined
    let left: number = DOWNLOAD_LIMITS.bytes
    const files: PackedFile[] = []
    for (const each of leftOut) {
      const read = readContentFile(root, each, { maxBytes: left })
      if (!read) return undefined
      left -= read.bytes.length
      files.push({ path: each.path, ...read })
    }
    return files
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code !== 'host/exhausted') return undefined
    throw thrown
  }
}
