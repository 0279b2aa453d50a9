import { refusedParam, SkillsError } from '../../../errors.ts'
import { resolveKernelOwner } from '../../runs/kernels/kernel-owner.ts'
import { checkKernelId } from '../../runs/kernels/kernel-id.ts'
import { isKernelLanguage, KERNEL_LANGUAGES } from '../../runs/kernels/kernel-language.ts'
import type { KernelSetup } from '../../runs/kernels/kernels.ts'
import type { FunctionJob, KernelUse } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { RunResult } from '../../runs/result.ts'
import type { Services } from '../../services.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import { useSessionFolder } from '../../workspaces/use-session-folder.ts'
import type { RunCodeParams } from './definition.ts'

/** Code as a cell, with the names of its skills resolved. */
export interface CellParams extends Omit<RunCodeParams, 'mount_skills' | 'kernel'> {
  kernel: string
  entries: readonly SkillEntry[]
}

interface CellCall {
  params: CellParams
  call: RunCall
  /** Checks the code, and mounts the skills. */
  createJob: (entries: readonly SkillEntry[]) => Promise<FunctionJob>
}

/** `run_code` with a kernel: executes the code as a cell of a living interpreter. */
export async function runCell(
  services: Services,
  { params, call, createJob }: CellCall,
): Promise<RunResult> {
  const { language, code } = params
  const id = checkKernelId(params.kernel)
  if (!isKernelLanguage(language)) throw otherLanguageError(language)
  if (params.entrypoint !== undefined && params.entrypoint !== 'main') throw noEntrypointError()
  const owner = resolveKernelOwner(call.caller, params.session)
  const setup = (await services.kernels()).findSetup({ owner, id })
  if (setup) checkSetup(setup, { ...params, id })
  const job = await createJob(setup ? [] : params.entries)
  if (setup) await checkSkills(services, setup.skills, { ...params, id })
  const { performRun } = await import('../../runs/perform-run.ts')
  const fixed = setup && { skills: setup.skills, inputBlobs: setup.inputBlobs }
  const kernel: KernelUse = { owner, id, language, code }
  return await useSessionFolder(
    services,
    { session: params.session, call },
    async (own, session) => await performRun(services, { ...job, ...fixed, kernel, session }, own),
  )
}

type CheckedCell = CellParams & { id: string }

function checkSetup(
  setup: KernelSetup,
  { id, language, input_blobs: blobs = [] }: CheckedCell,
): void {
  if (language !== setup.language) {
    throw fixedError(`The kernel "${id}" executes ${setup.language}, but the cell is ${language}`)
  }
  const other = blobs.find((each) => !setup.inputBlobs.includes(each))
  if (other === undefined) return
  throw fixedError(`The kernel "${id}" was started without the blob "${other}"`)
}

async function checkSkills(
  { repository }: Pick<Services, 'repository'>,
  mounted: readonly MountedSkill[],
  { id, entries }: CheckedCell,
): Promise<void> {
  for (const entry of entries) {
    const { manifest } = await repository.mount(entry)
    const isMounted = mounted.some(
      (each) => each.manifest.name === manifest.name && each.manifest.version === manifest.version,
    )
    if (isMounted) continue
    throw fixedError(
      `The kernel "${id}" was started without the skill ${manifest.name}@${manifest.version}`,
    )
  }
}

function fixedError(message: string): SkillsError {
  return new SkillsError('kernel/fixed', message, {
    hint: 'End it with kernel { action: "end" }, or use another kernel id: language, skills, blobs and permissions are fixed at the start',
  })
}

function otherLanguageError(language: string): SkillsError {
  const names = KERNEL_LANGUAGES.map((each) => `"${each}"`).join(' or ')
  return refusedParam('language', `Expected ${names} for a kernel, got "${language}"`)
}

function noEntrypointError(): SkillsError {
  return refusedParam('entrypoint', 'A cell of a kernel has no entrypoint: call the function in it')
}
