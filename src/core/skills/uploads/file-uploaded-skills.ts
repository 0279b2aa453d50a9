import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { openNameOwners } from './file-name-owners.ts'
import { createDraftPath, sweepDrafts } from './upload-drafts.ts'
import { getUploadsRoot, isRealUploadPath, isUploadPath } from './uploads-root.ts'
import { toUploadError } from './upload-error.ts'
import { writeUploadDigests } from './upload-digests.ts'
import { UploadQuota, type UploadLimits } from './upload-quota.ts'
import type { NewSkill, UploadedSkills } from './uploaded-skills.ts'

/** Uploads as folders, one for each version, below a root of the repository. */
export function openUploadedSkills(dataDir: string, limits: UploadLimits): UploadedSkills {
  const root = getUploadsRoot(dataDir)
  const quota = new UploadQuota(root)
  return {
    owners: openNameOwners(dataDir),
    add: async (skill, check) => await addUpload({ dataDir, root, room: quota, limits, check }, skill),
    has: (localDir) => isUploadPath(dataDir, localDir),
    hasRealPath: async (localDir) => await isRealUploadPath(dataDir, localDir),
    sweep: async () => await sweepDrafts(root),
  }
}

/**
 * Writes into a hidden draft, synced, then renamed. Rename fails if the version exists, so only one
 * of two writers succeeds.
 */
async function addUpload(
  to: { dataDir: string; root: string; room: UploadQuota; limits: UploadLimits; check: (draft: string) => Promise<void> },
  skill: NewSkill,
): Promise<void> {
  const { root } = to
  const draft = createDraftPath(root)
  const target = join(root, skill.name, skill.version)
  let settleReservation: (isKept: boolean) => void = () => {}
  try {
    await sweepDrafts(root)
    settleReservation = await to.room.reserve([...skill.files.values()], to.limits)
    await writeSkillFiles(draft, skill.files)
    await to.check(draft)
    await mkdir(dirname(target), { recursive: true })
    await rename(draft, target)
    settleReservation(true)
    settleReservation = () => {}
    await writeUploadDigests(to.dataDir, skill)
    await syncFolder(dirname(target))
    await syncFolder(root)
  } catch (error) {
    settleReservation(false)
    throw toUploadError(error, skill)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function writeSkillFiles(dir: string, files: NewSkill['files']): Promise<void> {
  const folders = new Set([dir])
  for (const [path, bytes] of files) {
    const file = join(dir, path)
    await mkdir(dirname(file), { recursive: true })
    await writeSynced(file, bytes)
    for (let at = dirname(file); at.length > dir.length; at = dirname(at)) folders.add(at)
  }
  for (const folder of folders) await syncFolder(folder)
}
