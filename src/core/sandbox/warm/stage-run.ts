import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxRequest } from '../backend.ts'
import { linkOrCopy, removeStage, writeCode } from '../stage.ts'
import { stagingError } from '../staging-error.ts'
import type { SharedSkill, SharedSkills } from './shared-skills.ts'

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
  const dir = join(staged, `run-${id}`)
  const held: SharedSkill[] = []
  const hasOwn = blobs.length > 0 || code !== undefined
  const remove = () => {
    for (const each of held) each.release()
    if (hasOwn) removeStage(dir)
  }
  try {
    if (hasOwn) {
      mkdirSync(dir)
      chmodSync(dir, 0o755)
    }
    return {
      skills: skills.map((skill) => {
        const one = shared.take(skill.dir)
        held.push(one)
        return { name: skill.name, path: one.path }
      }),
      blobs: blobs.map(({ name, path }) => ({ name, path: linkOrCopy(path, join(dir, name)) })),
      code: code && writeCode(join(dir, 'code'), code),
      remove,
    }
  } catch (error) {
    remove()
    throw stagingError(error, [...skills.map((each) => each.dir), ...blobs.map(({ path }) => path)])
  }
}
