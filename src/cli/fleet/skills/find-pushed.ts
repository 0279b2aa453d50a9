import { relative } from 'node:path'
import type { Config } from '../../../core/config/config.ts'
import { findTargets } from '../../../core/lint/targets.ts'
import { checkDraft } from '../../../core/methods/create-skill/check-manifest.ts'
import { readEntry } from '../../../core/skills/repository/read-entry.ts'
import { SkillsError } from '../../../errors.ts'
import type { PushRequest } from '../../../fleet/catalog/push-skills.ts'

/** A folder that cannot be pushed. */
export interface RefusedFolder {
  /** Undefined if its manifest is not valid. */
  name?: string
  version?: string
  /** Relative to the working directory. */
  folder: string
  reason: string
}

export interface FoundSkills {
  skills: PushRequest['skills']
  refused: readonly RefusedFolder[]
}

/** Finds the skills in folders, and checks them as `create_skill` checks uploads. */
export async function findPushedSkills(
  { cwd, signal }: { cwd: string; signal: AbortSignal },
  config: Config,
  folders: readonly string[],
): Promise<FoundSkills> {
  const skills: { name: string; version: string; dir: string }[] = []
  const refused: RefusedFolder[] = []
  for (const dir of findTargets(cwd, folders)) {
    signal.throwIfAborted()
    const { entry, problems } = readEntry(dir)
    const reason = problems[0]?.message ?? (await findLintError(dir, config))
    const identity = entry && { name: entry.name, version: entry.version }
    if (reason !== undefined) {
      refused.push({ ...identity, folder: relative(cwd, dir) || '.', reason })
    } else if (identity) skills.push({ ...identity, dir })
  }
  return { skills, refused }
}

/** The first lint error that refuses an upload. */
async function findLintError(dir: string, config: Config): Promise<string | undefined> {
  try {
    await checkDraft(dir, config)
    return undefined
  } catch (error) {
    if (!(error instanceof SkillsError) || error.code !== 'params/invalid') throw error
    const reason = error.data?.['reason']
    return typeof reason === 'string' ? reason : error.message
  }
}
