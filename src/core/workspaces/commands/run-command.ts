import { SkillsError } from '../../../errors.ts'
import type { ProgramOutcome, ProgramSinks } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Workspace } from '../workspace.ts'
import { getWorkspaceKey, type CommandSetting, type ReadyCommand } from './skill-command.ts'

/** A command that has ended. */
export interface EndedCommand {
  ready: ReadyCommand
  /** Start time, in wall-clock milliseconds. */
  startedMs: number
  outcome: ProgramOutcome
}

/** A command in the workspace of a session: its preparation, and the report of its end. */
export interface SessionCommand<Result> {
  session: string
  stdin: string | undefined
  /** Tools that may continue it. */
  tools: LiveSession<Result>['tools']
  prepare(context: CommandSetting): Promise<ReadyCommand>
  sinks: ProgramSinks
  finish(end: EndedCommand): Promise<Result>
}

/** Runs a command to its end, within one call. */
export async function runCommand<Result>(
  services: Services,
  command: SessionCommand<Result>,
  call: RunCall,
): Promise<Result> {
  const key = getWorkspaceKey(command.session, call)
  const [live, workspaces] = [await services.liveSessions(), await services.workspaces()]
  const runIn = async (workspace: Workspace, own: RunCall) => {
    const stdin = command.stdin === undefined ? 'none' : Buffer.from(command.stdin)
    const ready = await command.prepare({ workspace, call: own, stdin, terminal: undefined })
    const { performRun } = await import('../../runs/perform-run.ts')
    const startedMs = Date.now()
    const outcome = await performRun(services, { ...ready.plan, sinks: command.sinks }, own)
    if (outcome.status === 'cancelled') {
      throw new SkillsError('run/cancelled', 'The command was cancelled')
    }
    return await command.finish({ ready, startedMs, outcome })
  }
  return await live.perform(key, call, async (own) => {
    return await workspaces.use(key, own, async (workspace) => await runIn(workspace, own))
  })
}

/** Starts a command that continues between calls. */
export async function startCommand<Result>(
  services: Services,
  command: SessionCommand<Result>,
  { call, terminal, isAttended }: StartOptions,
): Promise<LiveSession<Result>> {
  const key = getWorkspaceKey(command.session, call)
  const workspaces = await services.workspaces()
  const release = workspaces.acquire(key)
  try {
    const workspace = await workspaces.open(key, call)
    const live = await services.liveSessions()
    const ready = await live.perform(key, call, async (own) => {
      return await command.prepare({ workspace, call: own, stdin: 'open', terminal })
    })
    const startedMs = Date.now()
    const session = live.start({
      perform: async (job, runCall) => {
        const { performRun } = await import('../../runs/perform-run.ts')
        return await performRun(services, job, runCall)
      },
      key,
      tools: command.tools,
      plan: { ...ready.plan, isAttended },
      call,
      sinks: command.sinks,
      // The result of a skill's command has them.
      warnings: command.tools === 'workspace' ? ready.warnings : undefined,
      finish: async (outcome) => await command.finish({ ready, startedMs, outcome }),
    })
    void session.ended.then(release)
    if (command.stdin !== undefined) await session.writeFirst(command.stdin)
    return session
  } catch (error) {
    release()
    throw error
  }
}

interface StartOptions {
  call: RunCall
  terminal: CommandSetting['terminal']
  isAttended?: boolean | undefined
}
