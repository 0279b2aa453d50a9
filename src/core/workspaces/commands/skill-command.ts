import type { SkillCommandParams } from '../../methods/skill-run/definition.ts'
import { refusedParam, SkillsError } from '../../../errors.ts'
import { DEFAULT_AGENT, hasReadSkill, getAgentLoads } from '../../skill-context/session-state.ts'
import { deriveSessionKey } from '../../skill-context/session-key.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ProgramJob } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { Services } from '../../services.ts'
import type { CollectLimits } from '../files/collect-files.ts'
import { planCommand } from './command-plan.ts'
import { prepareCommands, prepareFiles } from '../preparation/prepare.ts'
import { createSharedUse } from './shared-use.ts'
import { resolveSkill, stageSkillByName } from './resolve-skill.ts'
import {
  stageConversationFiles,
  type ConversationFile,
  type StagedFile,
} from '../files/stage-files.ts'
import { stageInputs } from '../files/stage-inputs.ts'
import { stageSkill } from '../files/stage-skill.ts'
import { resolveSkillFolder } from './working-folder.ts'
import type { Workspace } from '../workspace.ts'

/** A command with everything it needs, not started yet. */
export interface ReadyCommand {
  workspace: Workspace
  plan: Omit<ProgramJob, 'sinks'>
  staged: readonly StagedFile[]
  warnings: string[]
}

/** Context in which a command is prepared. */
export interface CommandSetting {
  workspace: Workspace
  call: RunCall
  stdin: ProgramJob['stdin']
  terminal: { columns: number; rows: number } | undefined
}

/** Key of a caller's workspace in a session. */
export function getWorkspaceKey(session: string, call: Pick<RunCall, 'caller'>): string {
  return deriveSessionKey(session, call.caller?.name)
}

/** Stages everything that a skill's command requires. */
export async function prepareSkillCommand(
  services: Services,
  params: SkillCommandParams,
  { workspace, call, stdin, terminal }: CommandSetting,
): Promise<ReadyCommand> {
  const skill = await requireLoadedSkill(services, params, call)
  const { workspace: config, run } = services.config
  const isCopy = config.skills === 'copies'
  const preparation = { services, workspace, call }
  const fileWarnings = await prepareFiles(preparation)
  await stageSkill(workspace, skill, isCopy)
  const { staged, warnings } = await stageFiles(services, workspace, params.files)
  const commandWarnings = await prepareCommands(preparation)
  const inputWarnings = await stageInputs(params.inputs ?? [], {
    workspace,
    tree: await workspace.tree(),
    hostRoots: config.hostRoots,
    maxBytes: run.limits.workspaceBytes,
    stageSkill: async (name) => await stageSkillByName(services, workspace, name),
  })
  const allWarnings = [...fileWarnings, ...warnings, ...commandWarnings, ...inputWarnings]
  const request = {
    command: params.command,
    folder: resolveSkillFolder(params.cwd, skill.manifest.name),
    skill,
    env: params.env,
    stdin,
    editorText: params.editor_text,
    terminal,
    timeoutMs: resolveTimeoutMs(services, params.timeout),
    onNote: (text: string) => void allWarnings.push(text),
    shared: await createSharedUse(services, { workspace, call, warnings: allWarnings }),
    asked: toRecordedParams(params),
    sinks: { stdout: () => {}, stderr: () => {} },
  }
  const { sinks: _, ...plan } = planCommand(workspace, request, config)
  return { workspace, plan, staged, warnings: allWarnings }
}

/** Writes the files of a conversation into a workspace. */
export async function stageFiles(
  services: Services,
  workspace: Workspace,
  files: readonly ConversationFile[] | undefined,
): Promise<{ staged: StagedFile[]; warnings: string[] }> {
  if (!files || files.length === 0) return { staged: [], warnings: [] }
  const tree = await workspace.tree()
  const maxBytes = services.config.run.limits.workspaceBytes
  const readBlob = async (id: string) => {
    try {
      const store = await services.blobs()
      if ((await store.info(id)).size > maxBytes) return undefined
      const { buffer } = await import('node:stream/consumers')
      return await buffer(await store.read(id))
    } catch (error) {
      if (error instanceof SkillsError) return undefined
      throw error
    }
  }
  return await stageConversationFiles(files, { workspace, tree, readBlob })
}

/** Converts seconds to milliseconds; the operator's default if absent. */
export function resolveTimeoutMs({ config }: Services, seconds: number | undefined): number {
  const { timeoutMs, maxTimeoutMs } = config.run
  if (seconds === undefined || seconds <= 0) return Math.min(timeoutMs, maxTimeoutMs)
  return Math.ceil(seconds * 1000)
}

/** The skill of a command; throws if the session must load it first. */
async function requireLoadedSkill(
  services: Services,
  params: SkillCommandParams,
  call: RunCall,
): Promise<MountedSkill> {
  if (params.skill.trim() === '' || params.command.trim() === '') {
    const reason = 'skill and command are required'
    throw refusedParam('command', reason)
  }
  const skill = await resolveSkill(services, params.skill.trim())
  if (!(params.require_load ?? services.config.workspace.requireLoad)) return skill
  const state = await (await services.sessions()).read(getWorkspaceKey(params.session, call))
  if (hasReadSkill(getAgentLoads(state, params.agent ?? DEFAULT_AGENT), skill.manifest.name))
    return skill
  throw new SkillsError(
    'policy/denied',
    `A command of "${skill.manifest.name}" requires skill_load first for "${skill.manifest.name}"`,
    { hint: 'Call skill_load with the same session', data: { reasons: ['not loaded'] } },
  )
}

/** Parameters for the run record, without the contents of files. */
function toRecordedParams(params: SkillCommandParams): PlainObject {
  const { files, session: _session, agent, require_load: _load, ...rest } = params
  const recorded = { ...rest, ...(agent !== undefined && { agent }), files: files?.length }
  return JSON.parse(JSON.stringify(recorded)) as PlainObject
}

/** Limits of a declaration, in the collector's form. */
export function toCollectLimits(
  outputs: NonNullable<SkillCommandParams['outputs']>,
): CollectLimits {
  const {
    max_files: maxFiles,
    max_file_bytes: maxFileBytes,
    max_total_bytes: maxTotalBytes,
  } = outputs
  return { maxFiles, maxFileBytes, maxTotalBytes }
}
