import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxRequest } from '../backend.ts'
import { removeStagingFolder } from '../rootfs/remove-staging-folder.ts'
import { linkOrCopy, writeCodeFolder } from '../rootfs/stage-files.ts'
import { toStagingError } from '../rootfs/staging-error.ts'
import type { SharedSkills } from './shared-skills.ts'

/** Granted files of one run, staged where the zygote can see them. */
export interface WarmStagedFiles {
  skills: readonly { name: string; path: string }[]
  blobs: readonly { name: string; path: string }[]
  code: string | undefined
  remove(): void
}

/** Stages the files of a run. Skill copies are shared between runs; everything else is private. */
export function stageWarmRun(
  request: SandboxRequest,
  staged: string,
  shared: SharedSkills,
): WarmStagedFiles {
  const { skills, blobs, code, id } = request
  const cleanups: (() => void)[] = []
  const remove = () => {
    for (const each of cleanups.splice(0)) each()
  }
  const trackFolder = (dir: string) => {
    cleanups.push(() => removeStagingFolder(dir))
    return dir
  }
  try {
    return {
      skills: skills.map((skill) => {
        const copy = shared.acquire(skill)
        cleanups.push(() => copy.release())
        skill.requireUnchanged?.()
        return { name: skill.name, path: copy.path }
      }),
      blobs: blobs.length > 0 ? stageBlobs(blobs, trackFolder(join(staged, `blobs-${id}`))) : [],
      code: code && writeCodeFolder(trackFolder(join(staged, `code-${id}`)), code),
      remove,
    }
  } catch (error) {
    remove()
    throw toStagingError(error, [
      ...skills.map((each) => each.dir),
      ...blobs.map(({ path }) => path),
    ])
  }
}

function stageBlobs(blobs: SandboxRequest['blobs'], dir: string): WarmStagedFiles['blobs'] {
  mkdirSync(dir)
  chmodSync(dir, 0o755)
  return blobs.map(({ name, path }) => ({ name, path: linkOrCopy(path, join(dir, name)) }))
}
