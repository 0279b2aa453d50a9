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
import type { ProgramJob } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { describeCut, OUTPUT_DROPPED, planCommand } from './command-plan.ts'
import { shellExitCode } from './exit-code.ts'
import { joinHeadAndTail, ByteHeadAndTail } from './head-and-tail.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { clampLines, clampYieldMs } from '../sessions/skill-exec.ts'
import { prepareCommands, prepareFiles } from '../preparation/prepare.ts'
import { createSharedUse } from './shared-use.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import { selectLoadedGrants } from './loaded-grants.ts'
import { resolveSkill } from './resolve-skill.ts'
import { stageFiles, resolveTimeoutMs, getWorkspaceKey } from './skill-command.ts'
import { stageSkill } from '../files/stage-skill.ts'
import { resolveWorkspaceFolder } from './working-folder.ts'
import type { Workspace } from '../workspace.ts'

const YIELD_MS = 1000
const WRITE_YIELD_MS = 200
const MAX_YIELD_MS = 60_000
/** Both streams together: what a model can read. The rest is stored under the id of the run. */
const MAX_OUTPUT_BYTES = 32 * 1024
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
  if (isContinued) return await startSession(services, params, call)
  const key = getWorkspaceKey(params.session, call)
  const live = await services.liveSessions()
  return await live.perform(key, call, async (own) => await runToEnd(services, params, own))
}

async function runToEnd(
  services: Services,
  params: WorkspaceExecParams,
  call: RunCall,
): Promise<WorkspaceExecResult> {
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(params.session, call), call, async (workspace) => {
    const stdin = params.stdin === undefined ? 'none' : Buffer.from(params.stdin)
    const { plan, warnings } = await prepareWorkspaceCommand(services, params, {
      workspace,
      call,
      stdin,
    })
    const [stdout, stderr] = [
      new ByteHeadAndTail(MAX_OUTPUT_BYTES),
      new ByteHeadAndTail(MAX_OUTPUT_BYTES),
    ]
    const sinks = {
      stdout: (chunk: Buffer) => stdout.add(chunk),
      stderr: (chunk: Buffer) => stderr.add(chunk),
    }
    const { performRun } = await import('../../runs/perform-run.ts')
    const outcome = await performRun(services, { ...plan, sinks }, call)
    if (outcome.status === 'cancelled') throw commandCancelledError()
    const { error } = outcome
    if (error) warnings.push(`${error.type}: ${error.message}`)
    if (outcome.truncated) warnings.push(OUTPUT_DROPPED)
    const output = joinHeadAndTail(stdout, stderr, MAX_OUTPUT_BYTES)
    if (output.isCut) warnings.push(describeCut('output', outcome.runId))
    return {
      status: 'exited',
      output: stripColors(output.text),
      exit_code: shellExitCode(outcome),
      offset: 0,
      next_offset: output.text.split('\n').length - 1,
      ...(output.isCut && { truncated: true }),
      total_bytes: output.totalBytes,
      ...(warnings.length > 0 && { warnings }),
      run_id: outcome.runId,
    }
  })
}

async function startSession(
  services: Services,
  params: WorkspaceExecParams,
  call: RunCall,
): Promise<WorkspaceExecResult> {
  const key = getWorkspaceKey(params.session, call)
  const workspaces = await services.workspaces()
  const release = workspaces.acquire(key)
  try {
    const workspace = await workspaces.open(key, call)
    const terminal = params.tty === true ? TERMINAL : undefined
    const live = await services.liveSessions()
    const { plan, warnings } = await live.perform(key, call, async (own) => {
      const context = { workspace, call: own, stdin: 'open' as const, terminal }
      return await prepareWorkspaceCommand(services, params, context)
    })
    const session = live.start({
      perform: async (job, runCall) => {
        const { performRun } = await import('../../runs/perform-run.ts')
        return await performRun(services, job, runCall)
      },
      key,
      tools: 'workspace',
      plan,
      call,
      sinks: { stdout: () => {}, stderr: () => {} },
      warnings,
      finish: async ({ runId, error, truncated }) => ({
        runId,
        ...(truncated && { warning: OUTPUT_DROPPED }),
        ...(error && { warning: `${error.type}: ${error.message}` }),
      }),
    })
    void session.ended.then(release)
    if (params.stdin !== undefined) await session.writeFirst(params.stdin)
    const isLeft = params.background === true && (params.yield_time_ms ?? 0) <= 0
    return await pollWorkspaceSession(
      services,
      session,
      isLeft ? 0 : clampYieldMs(params.yield_time_ms, YIELD_MS),
    )
  } catch (error) {
    release()
    throw error
  }
}

/** Writes to a session's input and returns its output. */
export async function writeInWorkspace(
  services: Services,
  params: {
    session: string
    session_id: string
    chars?: string | undefined
    append_newline?: boolean | undefined
    yield_time_ms?: number | undefined
  },
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

interface WorkspaceRunEnd {
  runId: string
  warning?: string
}

/** A session whose end was reported is forgotten. */
async function pollWorkspaceSession(
  services: Services,
  session: LiveSession<WorkspaceRunEnd>,
  yieldMs: number,
): Promise<WorkspaceExecResult> {
  const { result, interaction: _, ...view } = await session.poll(yieldMs, clampLines(20_000))
  const warnings = session.takeWarnings()
  if (result?.warning !== undefined) warnings.push(result.warning)
  if (view.status === 'exited') (await services.liveSessions()).forget(session.id)
  return {
    ...view,
    ...(result && { run_id: result.runId }),
    ...(warnings.length > 0 && { warnings }),
  }
}

interface PreparationOptions {
  workspace: Workspace
  call: RunCall
  stdin: ProgramJob['stdin']
  terminal?: { columns: number; rows: number } | undefined
}

/** Stages all loaded skills of the session and prepares the command. */
async function prepareWorkspaceCommand(
  services: Services,
  params: WorkspaceExecParams,
  { workspace, call, stdin, terminal }: PreparationOptions,
): Promise<{ plan: Omit<ProgramJob, 'sinks'>; warnings: string[] }> {
  const { workspace: config } = services.config
  const folder = resolveWorkspaceFolder(params.cwd)
  const preparation = { services, workspace, call }
  const warnings = await prepareFiles(preparation)
  warnings.push(...(await stageFiles(services, workspace, params.files)).warnings)
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
  return { plan: { ...plan, skills: grants.skills }, warnings }
}

function toRecordedParams({ files, session: _session, ...rest }: WorkspaceExecParams): PlainObject {
  return JSON.parse(JSON.stringify({ ...rest, files: files?.length })) as PlainObject
}

function requiredParamError(param: string): SkillsError {
  const reason = `${param} is required`
  return refusedParam(param, reason)
}

function commandCancelledError(): SkillsError {
  return new SkillsError('run/cancelled', 'The command was cancelled')
}
