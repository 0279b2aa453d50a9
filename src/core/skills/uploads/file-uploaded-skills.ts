import { mkdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError, toSkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { createOwnName, sweepLeftovers } from '../../../util/leftovers.ts'
import { getUploadsRoot } from './uploads-root.ts'
import { writeUploadDigests } from './upload-digests.ts'
import { UploadQuota, type UploadLimits } from './upload-quota.ts'
import type { NewSkill, UploadedSkills } from './uploaded-skills.ts'

/** On the same file system as the skills, so that rename works; listings skip it. */
const DRAFTS = '.drafts'

/** Uploads as folders, one for each version, below a root of the repository. */
export function openUploadedSkills(dataDir: string, limits: UploadLimits): UploadedSkills {
  const root = getUploadsRoot(dataDir)
  const quota = new UploadQuota(root)
  return {
    add: async (skill, check) => await addUpload({ dataDir, root, room: quota, limits, check }, skill),
    has: (localDir) => localDir.startsWith(`${root}/`),
    async hasRealPath(localDir) {
      if (localDir.startsWith(`${root}/`)) return true
      const paths = [localDir, dataDir].map(async (each) => await realpath(each).catch(() => ''))
      const [real, realData] = (await Promise.all(paths)) as [string, string]
      return real !== '' && realData !== '' && real.startsWith(`${getUploadsRoot(realData)}/`)
    },
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
  const draft = join(root, DRAFTS, createOwnName())
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

/** Removes drafts of dead processes. */
async function sweepDrafts(root: string): Promise<void> {
  await sweepLeftovers(join(root, DRAFTS))
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

function toUploadError(error: unknown, { name, version }: NewSkill): SkillsError {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOTEMPTY' || code === 'EEXIST') {
    return new SkillsError('skill/exists', `skill '${name}' already has a version '${version}'`, {
      hint: 'Increase the version: published versions never change',
      data: { param: 'manifest.version', reason: 'exists' },
      cause: error,
    })
  }
  if (error instanceof SkillsError || !['EACCES', 'EROFS', 'EPERM'].includes(code)) {
    return toSkillsError(error)
  }
  return new SkillsError('store/unavailable', 'Cannot write uploaded skills to the data directory', {
    hint: 'Check the permissions of the data directory, which "skills config directories.data" shows',
    cause: error,
  })
}
