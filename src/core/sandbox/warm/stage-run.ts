import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxRequest } from '../backend.ts'
import { removeStage } from '../rootfs/remove-stage.ts'
import { linkOrCopy, writeCode } from '../rootfs/stage.ts'
import { stagingError } from '../rootfs/staging-error.ts'
import type { SharedSkills } from './shared-skills.ts'

/** What one run was granted, laid out where the zygote sees it. */
export interface RunStage {
  skills: readonly { name: string; path: string }[]
  blobs: readonly { name: string; path: string }[]
  code: string | undefined
  remove(): void
}

/** Skills are shared by runs as long as they stay what they are; the rest is this run's alone. */
export function stageRun(request: SandboxRequest, staged: string, shared: SharedSkills): RunStage {
  const { skills, blobs, code, id } = request
  const undo: (() => void)[] = []
  const remove = () => {
    for (const each of undo.splice(0)) each()
  }
  const keep = (dir: string) => {
    undo.push(() => removeStage(dir))
    return dir
  }
  try {
    return {
      skills: skills.map((skill) => {
        const one = shared.take(skill.dir)
        undo.push(() => one.release())
        return { name: skill.name, path: one.path }
      }),
      blobs: blobs.length > 0 ? stageBlobs(blobs, keep(join(staged, `blobs-${id}`))) : [],
      code: code && writeCode(keep(join(staged, `code-${id}`)), code),
      remove,
    }
  } catch (error) {
    remove()
    throw stagingError(error, [...skills.map((each) => each.dir), ...blobs.map(({ path }) => path)])
  }
}

function stageBlobs(blobs: SandboxRequest['blobs'], dir: string): RunStage['blobs'] {
  mkdirSync(dir)
  chmodSync(dir, 0o755)
  return blobs.map(({ name, path }) => ({ name, path: linkOrCopy(path, join(dir, name)) }))
}
