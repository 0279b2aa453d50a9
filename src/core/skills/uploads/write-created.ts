import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError, toSkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { ownName, sweepLeftovers } from '../../../util/leftovers.ts'
import { createdRoot } from './created-root.ts'
import { takeRoom, type CreatedLimits } from './created-room.ts'

/** Beside the skills, so that a rename is enough; no listing goes into it. */
const DRAFTS = '.drafts'

/** What a skill is kept under. */
export interface Keeping {
  limits: CreatedLimits
  /** Throws where the draft is no skill that may be kept. */
  check(draft: string): Promise<void>
}

/** A skill to be kept. */
export interface NewSkill {
  name: string
  version: string
  /** Contents by path. */
  files: ReadonlyMap<string, Uint8Array>
}

/**
 * Writes a skill whole or not at all: into a draft that no listing shows, synced, then renamed.
 * Rename fails where the version is there already, so of two writers one wins.
 */
export async function writeCreated(
  dataDir: string,
  skill: NewSkill,
  keeping: Keeping,
): Promise<void> {
  const root = createdRoot(dataDir)
  const draft = join(root, DRAFTS, ownName())
  const target = join(root, skill.name, skill.version)
  let settle: (isKept: boolean) => void = () => {}
  try {
    await sweepDrafts(dataDir)
    settle = await takeRoom(root, [...skill.files.values()], keeping.limits)
    await writeFiles(draft, skill.files)
    await keeping.check(draft)
    await mkdir(dirname(target), { recursive: true })
    await rename(draft, target)
    settle(true)
    settle = () => {}
    await syncFolder(dirname(target))
    await syncFolder(root)
  } catch (error) {
    settle(false)
    throw explain(error, skill)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Removes drafts of processes that are gone. */
export async function sweepDrafts(dataDir: string): Promise<void> {
  await sweepLeftovers(join(createdRoot(dataDir), DRAFTS))
}

async function writeFiles(dir: string, files: NewSkill['files']): Promise<void> {
  const folders = new Set([dir])
  for (const [path, bytes] of files) {
    const file = join(dir, path)
    await mkdir(dirname(file), { recursive: true })
    await writeSynced(file, bytes)
    for (let at = dirname(file); at.length > dir.length; at = dirname(at)) folders.add(at)
  }
  for (const folder of folders) await syncFolder(folder)
}

function explain(error: unknown, { name, version }: NewSkill): SkillsError {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOTEMPTY' || code === 'EEXIST') {
    return new SkillsError('skill/exists', `skill '${name}' has a version '${version}' already`, {
      hint: 'Raise the version: what is published never changes',
      data: { param: 'manifest.version', reason: 'exists' },
      cause: error,
    })
  }
  if (error instanceof SkillsError || !['EACCES', 'EROFS', 'EPERM'].includes(code)) {
    return toSkillsError(error)
  }
  return new SkillsError('store/unavailable', 'Skills cannot be written here', {
    hint: 'Check the permissions of the data directory, which "skills config directories.data" shows',
    cause: error,
  })
}
