import type { SkillCommandParams, SkillRunResult } from '../../methods/skill-run/definition.ts'
import type { SkillExecParams } from '../../methods/skill-exec/definition.ts'
import type { WriteParams } from '../../methods/skill-write-stdin/definition.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { startCommand } from '../commands/run-command.ts'
import { describeSkillCommand } from '../commands/skill-run.ts'
import type { LiveSession, LiveSessionView } from './live-session.ts'
import { endSession } from './end-sessions.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'

const YIELD_MS = 1000
const POLL_YIELD_MS = 400
const POLL_LINES = 40
const MAX_YIELD_MS = 60_000
/** Stands for all commands of a session, and its sandbox. */
const WHOLE_SESSION = '*'
const TERMINAL = { columns: 120, rows: 40 }

/** Parameters of each call for a session. */
interface SessionParams {
  session: string
  session_id: string
  yield_ms?: number | undefined
  poll_lines?: number | undefined
  /** True to keep the line ends of terminals. */
  raw?: boolean | undefined
}

export type SkillSessionView = LiveSessionView<SkillRunResult>

/** Starts a skill's command that continues between calls. */
export async function execSkillCommand(
  services: Services,
  params: SkillExecParams,
  call: RunCall,
): Promise<SkillSessionView> {
  const { columns, rows, longest, ...command } = params
  const size = { columns: columns ?? TERMINAL.columns, rows: rows ?? TERMINAL.rows }
  const timeout = longest === true ? services.config.run.maxTimeoutMs / 1000 : params.timeout
  const session = await startSkillSession(
    services,
    { ...command, timeout },
    { call, terminal: params.tty === true ? size : undefined },
  )
  return await pollSkillSession(session, params, YIELD_MS)
}

/** Context of a session: its caller, terminal and output handler. */
export interface SkillSessionOptions {
  call: RunCall
  terminal: { columns: number; rows: number } | undefined
  /** Receives the complete output as it arrives; a returned promise applies backpressure. */
  onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => Promise<void> | undefined) | undefined
  /** True if a person uses the session interactively: it may take any time. */
  isAttended?: boolean | undefined
}

/** Starts a session for direct use in this process. */
export async function startSkillSession(
  services: Services,
  params: SkillCommandParams,
  { call, terminal, onOutput, isAttended = false }: SkillSessionOptions,
): Promise<LiveSession<SkillRunResult>> {
  const command = describeSkillCommand(services, params, onOutput)
  return await startCommand(services, command, { call, terminal, isAttended })
}

/** Writes to a session and returns its output. */
export async function writeToSession(
  services: Services,
  params: WriteParams,
  call: RunCall,
): Promise<SkillSessionView> {
  const session = await findSession(services, params, call)
  const { columns, rows } = params
  if (columns !== undefined && rows !== undefined) session.resize(columns, rows)
  await session.write(params.chars ?? '', params.submit === true)
  if (params.end_input === true) session.endInput()
  return await pollSkillSession(session, params, POLL_YIELD_MS)
}

/** Returns the new output of a session. */
export async function pollSession(
  services: Services,
  params: SessionParams,
  call: RunCall,
): Promise<SkillSessionView> {
  return await pollSkillSession(await findSession(services, params, call), params, POLL_YIELD_MS)
}

async function pollSkillSession(
  session: LiveSession<SkillRunResult>,
  params: Pick<SessionParams, 'yield_ms' | 'poll_lines' | 'raw'>,
  usualMs: number,
): Promise<SkillSessionView> {
  const yieldMs = clampYieldMs(params.yield_ms, usualMs)
  return await session.poll(yieldMs, clampLines(params.poll_lines), params.raw === true)
}

/** Kills a command with all of its processes, and removes it; or everything of a session. */
export async function killSession(
  services: Services,
  params: Pick<SessionParams, 'session' | 'session_id'>,
  call: RunCall,
): Promise<{ ok: boolean; session_id: string; status: 'killed' | 'exited' }> {
  if (params.session_id.trim() === WHOLE_SESSION) {
    await endSession(services, params.session, call)
    return { ok: true, session_id: WHOLE_SESSION, status: 'killed' }
  }
  const all = await services.liveSessions()
  const session = all.get(params.session_id.trim(), getWorkspaceKey(params.session, call), 'any')
  const wasRunning = await session.kill()
  all.forget(session.id)
  return { ok: true, session_id: session.id, status: wasRunning ? 'killed' : 'exited' }
}

async function findSession(
  services: Services,
  { session, session_id: id }: Pick<SessionParams, 'session' | 'session_id'>,
  call: RunCall,
): Promise<LiveSession<SkillRunResult>> {
  const all = await services.liveSessions()
  return all.get(id.trim(), getWorkspaceKey(session, call), 'skill') as LiveSession<SkillRunResult>
}

export function clampYieldMs(requested: number | undefined, otherwise: number): number {
  return requested === undefined || requested <= 0 ? otherwise : Math.min(requested, MAX_YIELD_MS)
}

export function clampLines(requested: number | undefined): number {
  return requested === undefined || requested <= 0 ? POLL_LINES : Math.min(requested, 20_000)
}
