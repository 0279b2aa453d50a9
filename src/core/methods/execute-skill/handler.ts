import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { loadLazily } from '../../../util/load-lazily.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { FunctionJob } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { RunResult } from '../../runs/result.ts'
import { detachFunction } from '../../runs/detached/detach-run.ts'
import type { Services } from '../../services.ts'
import { SKILL_LANGUAGE_NAMES, findSkillLanguage } from '../../skills/manifest/skill-languages.ts'
import type { ExecuteSkillParams } from './definition.ts'

const importPerformRun = loadLazily(async () => await import('../../runs/perform-run.ts'))

/** `execute_skill`: runs a skill's entrypoint in a fresh sandbox. */
export async function executeSkill(
  services: Services,
  params: ExecuteSkillParams,
  call: RunCall,
): Promise<RunResult> {
  const entry = await services.repository.resolve(params.name, params.version)
  return await executeEntry(services, { ...params, entry }, call)
}

/** Runs a skill that is already resolved, such as one in a folder. */
export async function executeEntry(
  services: Services,
  params: Omit<ExecuteSkillParams, 'name' | 'version'> & { entry: SkillEntry },
  call: RunCall,
): Promise<RunResult> {
  const job = await createSkillJob(services, params)
  const { detach, ...rest } = params
  if (detach === true) return await detachFunction(services, { job, params: rest }, call)
  const { performRun } = await importPerformRun()
  return await performRun(services, job, call)
}

/** Builds the job of a skill. */
export async function createSkillJob(
  services: Pick<Services, 'repository'>,
  params: Omit<ExecuteSkillParams, 'name' | 'version'> & { entry: SkillEntry },
): Promise<FunctionJob> {
  const skill = await services.repository.mount(params.entry)
  checkExecutable(skill)
  return {
    kind: 'execute_skill',
    target: { kind: 'skill', skill },
    skills: [skill],
    args: params.args,
    inputBlobs: params.input_blobs ?? [],
    timeoutMs: params.timeout_ms,
  }
}

function checkExecutable({ manifest, dir }: MountedSkill): void {
  if (!manifest.runtime) {
    const reads = `"skills read ${manifest.name} SKILL.md" to read it`
    const hint = existsSync(join(dir, 'scripts'))
      ? `Type "skills adopt <its folder> --dry-run" to see why no script is a command, or ${reads}`
      : `Type ${reads}`
    throw new SkillsError(
      'skill/not-executable',
      `"${manifest.name}" has no code to run: it is an instruction skill`,
      { hint },
    )
  }
  if (findSkillLanguage(manifest.runtime.language)) return
  const known = SKILL_LANGUAGE_NAMES.join(', ')
  throw new SkillsError(
    'skill/not-executable',
    `Expected one of the languages ${known}, got "${manifest.runtime.language}"`,
    { hint: 'Change runtime.language in skill.toml' },
  )
}
