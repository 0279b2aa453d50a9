import type { WriteStdinParams } from '../../methods/write-stdin/definition.ts'
import { stripColors } from '../../../util/strip-colors.ts'
import type {
  WorkspaceExecParams,
  WorkspaceExecResult,
} from '../../methods/workspace-exec/definition.ts'
import { refusedParam, SkillsError } from '../../../errors.ts'
import {
  DEFAULT_AGENT,
  listLoadedSkills,
  getAgentLoads,
} from '../../skill-context/session-state.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { describeCut, OUTPUT_DROPPED, planCommand } from './command-plan.ts'
import { shellExitCode } from './exit-code.ts'
import { explainOutput } from './explain-output.ts'
import { joinHeadAndTail, ByteHeadAndTail } from './head-and-tail.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { clampLines, clampYieldMs } from '../sessions/skill-exec.ts'
import { prepareCommands, prepareFiles } from '../preparation/prepare.ts'
import { collectResults } from './finish-command.ts'
import { runCommand, startCommand, type EndedCommand, type SessionCommand } from './run-command.ts'
import { createSharedUse } from './shared-use.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import { selectLoadedGrants } from './loaded-grants.ts'
import { resolveSkill } from './resolve-skill.ts'
import {
  stageFiles,
  prepareSkillCommand,
  resolveTimeoutMs,
  getWorkspaceKey,
  type CommandSetting,
  type ReadyCommand,
} from './skill-command.ts'
import { stageSkill } from '../files/stage-skill.ts'
import { resolveWorkspaceFolder } from './working-folder.ts'

const YIELD_MS = 1000
const WRITE_YIELD_MS = 200
const MAX_YIELD_MS = 60_000
/** Both streams together. Longer output is stored under the id of the run, and a model gets its beginning and end. */
const WHOLE_OUTPUT_BYTES = 16 * 1024
const CUT_OUTPUT_BYTES = 8 * 1024
const TERMINAL = { columns: 120, rows: 40 }

/** Runs any command in the workspace of a session; on request it continues between calls. */
export async function execInWorkspace(
  services: Services,
  params: WorkspaceExecParams,
  call: RunCall,
): Promise<WorkspaceExecResult> {
  if (params.command.trim() === '') throw requiredParamError('command')
  const isContinued =
    params.background === true || params.tty === true || (params.yield_time_ms ?? 0) > 0
  if (!isContinued) return await runCommand(services, describeCommand(services, params), call)
  const terminal = params.tty === true ? TERMINAL : undefined
  const command = describeContinued(services, params)
  const session = await startCommand(services, command, { call, terminal })
  const isLeft = params.background === true && (params.yield_time_ms ?? 0) <= 0
  const yieldMs = isLeft ? 0 : clampYieldMs(params.yield_time_ms, YIELD_MS)
  return await pollWorkspaceSession(services, session, yieldMs)
}

/** A command whose answer has the beginning and the end of its output. */
function describeCommand(
  services: Services,
  params: WorkspaceExecParams,
): SessionCommand<WorkspaceExecResult> {
  const [stdout, stderr] = [
    new ByteHeadAndTail(WHOLE_OUTPUT_BYTES),
    new ByteHeadAndTail(WHOLE_OUTPUT_BYTES),
  ]
  return {
    ...describePreparation(services, params),
    sinks: { stdout: (chunk) => stdout.add(chunk), stderr: (chunk) => stderr.add(chunk) },
    async finish(end) {
      const { outcome } = end
      const isShort = stdout.bytes + stderr.bytes <= WHOLE_OUTPUT_BYTES
      const budget = isShort ? WHOLE_OUTPUT_BYTES : CUT_OUTPUT_BYTES
      const output = joinHeadAndTail(stdout, stderr, budget)
      const { files, runId, warnings } = await reportCommandEnd(services, params, end)
      if (output.isCut) warnings.push(describeCut('output', runId))
      warnings.push(...explainOutput(output.text))
      return {
        status: 'exited',
        output: stripColors(output.text),
        exit_code: shellExitCode(outcome),
        offset: 0,
        next_offset: output.text.split('\n').length - 1,
        ...(output.isCut && { truncated: true }),
        total_bytes: output.totalBytes,
        ...(files && { output_files: files }),
        ...(warnings.length > 0 && { warnings }),
        run_id: runId,
      }
    },
  }
}

/** A command that continues between calls, which return its output. */
function describeContinued(
  services: Services,
  params: WorkspaceExecParams,
): SessionCommand<WorkspaceRunEnd> {
  return {
    ...describePreparation(services, params),
    sinks: { stdout: () => {}, stderr: () => {} },
    // The warnings of its preparation are reported when it starts.
    finish: async (end) =>
      await reportCommandEnd(services, params, { ...end, ready: { ...end.ready, warnings: [] } }),
  }
}

function describePreparation(services: Services, params: WorkspaceExecParams) {
  const { skill } = params
  return {
    session: params.session,
    stdin: params.stdin,
    tools: 'workspace' as const,
    prepare: async (context: CommandSetting) =>
      skill === undefined
        ? await prepareWorkspaceCommand(services, params, context)
        : await prepareSkillCommand(services, { ...params, skill, outputs: undefined }, context),
  }
}

interface WorkspaceRunEnd {
  runId: string
  warnings: string[]
  files?: WorkspaceExecResult['output_files']
}

async function reportCommandEnd(
  services: Services,
  { outputs }: WorkspaceExecParams,
  end: EndedCommand,
): Promise<WorkspaceRunEnd> {
  const { runId, error, truncated } = end.outcome
  const warnings = [
    ...end.ready.warnings,
    ...(error ? [`${error.type}: ${error.message}`] : []),
    ...(truncated ? [OUTPUT_DROPPED] : []),
  ]
  if (outputs === undefined) return { runId, warnings }
  const wanted = { output_files: outputs }
  const { output_files: files } = await collectResults(services, wanted, { ...end, warnings })
  return { runId, warnings, files }
}

/** Writes to a session's input and returns its output. */
export async function writeInWorkspace(
  services: Services,
  params: WriteStdinParams,
  call: RunCall,
): Promise<WorkspaceExecResult> {
  const all = await services.liveSessions()
  const session = all.get(
    params.session_id.trim(),
    getWorkspaceKey(params.session, call),
    'workspace',
  )
  await session.write(params.chars ?? '', params.append_newline === true)
  const yieldMs = Math.min(Math.max(params.yield_time_ms ?? WRITE_YIELD_MS, 0), MAX_YIELD_MS)
  return await pollWorkspaceSession(services, session as LiveSession<WorkspaceRunEnd>, yieldMs)
}

/** A session whose end was reported is forgotten. */
async function pollWorkspaceSession(
  services: Services,
  session: LiveSession<WorkspaceRunEnd>,
  yieldMs: number,
): Promise<WorkspaceExecResult> {
  const { result, interaction: _, ...view } = await session.poll(yieldMs, clampLines(20_000))
  const warnings = session.takeWarnings()
  if (result) warnings.push(...result.warnings)
  if (view.status === 'exited') (await services.liveSessions()).forget(session.id)
  return {
    ...view,
    ...(result && { run_id: result.runId }),
    ...(result?.files && { output_files: result.files }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Stages all loaded skills of the session and prepares the command. */
async function prepareWorkspaceCommand(
  services: Services,
  params: WorkspaceExecParams,
  { workspace, call, stdin, terminal }: CommandSetting,
): Promise<ReadyCommand> {
  const { workspace: config } = services.config
  const folder = resolveWorkspaceFolder(params.cwd)
  const preparation = { services, workspace, call }
  const warnings = await prepareFiles(preparation)
  const staged = await stageFiles(services, workspace, params.files)
  warnings.push(...staged.warnings)
  const state = await (await services.sessions()).read(getWorkspaceKey(params.session, call))
  const loaded: MountedSkill[] = []
  for (const name of listLoadedSkills(getAgentLoads(state, params.agent ?? DEFAULT_AGENT))) {
    try {
      const skill = await resolveSkill(services, name)
      await stageSkill(workspace, skill, config.skills === 'copies')
      loaded.push(skill)
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      warnings.push(error.message)
    }
  }
  warnings.push(...(await prepareCommands(preparation)))
  const { sinks: _, ...plan } = planCommand(
    workspace,
    {
      command: params.command,
      folder,
      env: params.env,
      stdin,
      terminal,
      timeoutMs: resolveTimeoutMs(services, params.timeout),
      onNote: (text) => void warnings.push(text),
      shared: await createSharedUse(services, { workspace, call, warnings }),
      asked: toRecordedParams(params),
      sinks: { stdout: () => {}, stderr: () => {} },
    },
    config,
  )
  const grants = await selectLoadedGrants(services, loaded, { plan, call })
  warnings.push(...grants.warnings)
  const own = { ...plan, skills: grants.skills }
  return { workspace, plan: own, staged: staged.staged, warnings }
}

function toRecordedParams({ files, session: _session, ...rest }: WorkspaceExecParams): PlainObject {
  return JSON.parse(JSON.stringify({ ...rest, files: files?.length })) as PlainObject
}

function requiredParamError(param: string): SkillsError {
  const reason = `${param} is required`
  return refusedParam(param, reason)
}
