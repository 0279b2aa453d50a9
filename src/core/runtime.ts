import { fileURLToPath } from 'node:url'
import type { Config } from './config/config.ts'
import type { DescribeSkillParams, DescribeSkillResult } from './methods/describe-skill/run.ts'
import type { ListSkillsParams, ListSkillsResult } from './methods/list-skills/run.ts'
import type { ReadSkillFileParams, ReadSkillFileResult } from './methods/read-skill-file/run.ts'
import { openRepository } from './repository/open-repository.ts'
import type { Repository } from './repository/repository.ts'

/** The skills that the package brings. */
export const BUILTIN_SKILLS: string = fileURLToPath(new URL('../../skills', import.meta.url))

export interface RuntimeOptions {
  config: Config
  /** The index of skills is kept here; null keeps none. */
  cacheDir?: string | null
}

/** The facade: what every door calls. Parts are made when they are first used. */
export interface Runtime {
  readonly config: Config
  readonly repository: Repository
  listSkills(params?: ListSkillsParams): Promise<ListSkillsResult>
  describeSkill(params: DescribeSkillParams): Promise<DescribeSkillResult>
  readSkillFile(params: ReadSkillFileParams): Promise<ReadSkillFileResult>
  loadSkillsProtocolGuide(): Promise<{ content: string }>
}

/** Opens a runtime over a configuration. Nothing is read or started before it is asked for. */
export function createRuntime({ config, cacheDir }: RuntimeOptions): Runtime {
  const repository = openRepository({
    roots: config.roots,
    builtin: BUILTIN_SKILLS,
    cacheDir: cacheDir === null ? undefined : (cacheDir ?? config.directories.cache),
  })
  const runtime: Runtime = {
    config,
    repository,
    listSkills: async (params) =>
      (await import('./methods/list-skills/run.ts')).listSkills(runtime, params),
    describeSkill: async (params) =>
      (await import('./methods/describe-skill/run.ts')).describeSkill(runtime, params),
    readSkillFile: async (params) =>
      (await import('./methods/read-skill-file/run.ts')).readSkillFile(runtime, params),
    loadSkillsProtocolGuide: async () =>
      (await import('./methods/load-skills-protocol-guide/run.ts')).loadSkillsProtocolGuide(
        runtime,
      ),
  }
  return runtime
}
