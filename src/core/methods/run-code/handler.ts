import { refusedParam } from '../../../errors.ts'
import { splitReference } from '../../skills/reference.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { FunctionJob } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { RunResult } from '../../runs/result.ts'
import { detachFunction } from '../../runs/detached/detach-run.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { Services } from '../../services.ts'
import { useSessionFolder } from '../../workspaces/use-session-folder.ts'
import { SKILL_LANGUAGES, type SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import type { RunCodeParams } from './definition.ts'
import type { CellParams } from './run-cell.ts'

/** Languages of the protocol, without this runtime's extensions. */
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u
/** Limit on code in a request; longer code is data and belongs in a blob. */
const MAX_CODE_BYTES = 1024 ** 2
/** Each skill is resolved and mounted before the run starts. */
const MAX_MOUNTS = 1000

/** `run_code`: calls a function of the caller's code in a fresh sandbox with mounted skills. */
export async function runCode(
  services: Services,
  params: RunCodeParams,
  call: RunCall,
): Promise<RunResult> {
  const { mount_skills: mounts, kernel } = params
  const names = collectMountNames(mounts)
  const entries = await Promise.all(
    names.map(async (name) => await services.repository.resolve(...splitReference(name))),
  )
  if (kernel !== undefined) {
    if (params.detach === true) {
      throw refusedParam(
        'detach',
        'A cell of a kernel cannot be detached, because kernels end with the server',
      )
    }
    return await runCellWithEntries(services, { ...params, kernel, entries }, call)
  }
  return await runCodeWithEntries(services, { ...params, entries }, call)
}

/** Names without repetitions. Stops at the limit: a list can be very long. */
function collectMountNames(all: readonly string[] = []): string[] {
  const names = new Set<string>()
  for (const name of all) {
    names.add(name)
    if (names.size <= MAX_MOUNTS) continue
    throw refusedParam('mount_skills', `Expected at most ${MAX_MOUNTS} skills to mount, got more`)
  }
  return [...names]
}

/** Executes code as a cell of a kernel, with skills that are already resolved. */
export async function runCellWithEntries(
  services: Services,
  params: CellParams,
  call: RunCall,
): Promise<RunResult> {
  const { runCell } = await import('./run-cell.ts')
  const create = async (entries: readonly SkillEntry[]) =>
    await createCodeJob(services, { ...params, entries })
  return await runCell(services, { params, call, createJob: create })
}

/** Runs code with skills that are already resolved, such as those in a folder. */
export async function runCodeWithEntries(
  services: Services,
  params: Omit<RunCodeParams, 'mount_skills' | 'kernel'> & { entries: readonly SkillEntry[] },
  call: RunCall,
): Promise<RunResult> {
  const job = await createCodeJob(services, params)
  const { detach, ...rest } = params
  if (detach === true) return await detachFunction(services, { job, params: rest }, call)
  const { performRun } = await import('../../runs/perform-run.ts')
  return await useSessionFolder(
    services,
    { session: params.session, call },
    async (own, session) => await performRun(services, { ...job, session }, own),
  )
}

/** Builds the job of submitted code. */
export async function createCodeJob(
  services: Pick<Services, 'config' | 'repository'>,
  params: Omit<RunCodeParams, 'mount_skills' | 'kernel'> & { entries: readonly SkillEntry[] },
): Promise<FunctionJob> {
  const { code, entrypoint = 'main', entries } = params
  const language = requireCodeLanguage(params.language)
  checkCode(code, entrypoint)
  const mounts = await Promise.all(
    entries.map(async (entry) => await services.repository.mount(entry)),
  )
  checkMounts(mounts)
  return {
    kind: 'run_code',
    target: { kind: 'code', language, code, entrypoint },
    skills: mounts,
    args: params.args,
    inputBlobs: params.input_blobs ?? [],
    timeoutMs: params.limits?.timeout_ms,
  }
}

function requireCodeLanguage(name: string): SkillLanguageName {
  const language = SKILL_LANGUAGES.find((each) => each.name === name)
  if (language) return language.name
  const names = SKILL_LANGUAGES.map((each) => `"${each.name}"`).join(', ')
  throw refusedParam('language', `Expected one of the languages ${names}, got "${name}"`)
}

function checkCode(code: string, entrypoint: string): void {
  if (!IDENTIFIER.test(entrypoint)) {
    throw refusedParam('entrypoint', `Expected the name of a function, got "${entrypoint}"`)
  }
  const size = Buffer.byteLength(code)
  if (size > MAX_CODE_BYTES) {
    throw refusedParam('code', `Expected at most ${MAX_CODE_BYTES} bytes of code, got ${size}`)
  }
}

/**
 * In Python each skill is a module: two with the same module name are rejected before anything
 * runs.
 */
function checkMounts(mounts: readonly MountedSkill[]): void {
  const byModule = new Map<string, string>()
  for (const { manifest } of mounts) {
    const { name, version } = manifest
    const module = name.replaceAll('-', '_')
    const duplicate = byModule.get(module)
    if (duplicate !== undefined) {
      throw refusedParam(
        'mount_skills',
        `${duplicate} and ${name}@${version} would both be the module "skills.${module}"`,
      )
    }
    byModule.set(module, `${name}@${version}`)
  }
}
