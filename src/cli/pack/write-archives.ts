import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SkillArchive } from '../../core/packing/pack-skill.ts'
import { SkillsError } from '../../errors.ts'
import { syncFolder } from '../../util/durable-file.ts'
import { createOwnName } from '../../util/leftovers.ts'

/**
 * Writes archives into a folder: all of them as drafts first, then each under its name. A file
 * with other content is kept, unless `force` is set.
 */
export async function writeArchives(
  folder: string,
  archives: readonly SkillArchive[],
  { force }: { force: boolean },
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const drafts: { draft: string; target: string }[] = []
  try {
    for (const { file, bytes } of archives) {
      const target = join(folder, file)
      if (await isWritten(target, bytes, force)) continue
      const draft = join(folder, `.${createOwnName()}`)
      drafts.push({ draft, target })
      await writeDraft(draft, bytes)
    }
    for (const { draft, target } of drafts) await rename(draft, target)
    if (drafts.length > 0) await syncFolder(folder)
  } finally {
    for (const { draft } of drafts) await rm(draft, { force: true })
  }
}

/** On disk before it has its name, so that a power failure leaves no archive of other bytes. */
async function writeDraft(draft: string, bytes: Uint8Array): Promise<void> {
  const file = await open(draft, 'wx', 0o644)
  try {
    await file.writeFile(bytes)
    // The umask may be stricter.
    await file.chmod(0o644)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** True if the file is there already; throws if it has other content. */
async function isWritten(target: string, bytes: Uint8Array, force: boolean): Promise<boolean> {
  const existing = await readFile(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new SkillsError('file/unreadable', `Cannot read "${target}", which is there already`, {
      hint: 'Remove it, or choose another folder with --out',
      cause: error,
    })
  })
  if (existing === undefined) return false
  if (existing.equals(bytes)) return true
  if (force) return false
  throw new SkillsError('skill/exists', `"${target}" exists with other content`, {
    hint: 'Raise the version of the skill, or replace the file with --force',
  })
}
