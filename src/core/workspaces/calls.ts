import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { SkillRunResult } from './commands/finish-command.ts'
import type { ReadRef, SavedFile } from './artifacts/saved-files.ts'
import type { SkillCommandParams } from './commands/skill-command.ts'
import type {
  SessionParams,
  SkillExecParams,
  SkillSessionView,
  WriteParams,
} from './sessions/skill-exec.ts'
import type { WorkspaceExecParams, WorkspaceExecResult } from './commands/workspace-exec.ts'

type Killed = { ok: boolean; session_id: string; status: 'killed' | 'exited' }
type OfSession = Pick<SessionParams, 'session' | 'session_id'>

/** The tools of workspaces as calls of the library. */
export interface WorkspaceCalls {
  /** Runs a command of a skill in the workspace of a session. */
  skillRun(params: SkillCommandParams, call: RunCall): Promise<SkillRunResult>
  /** The same, going on between calls. */
  skillExec(params: SkillExecParams, call: RunCall): Promise<SkillSessionView>
  skillWriteStdin(params: WriteParams, call: RunCall): Promise<SkillSessionView>
  skillPollSession(params: SessionParams, call: RunCall): Promise<SkillSessionView>
  skillKillSession(params: OfSession, call: RunCall): Promise<Killed>
  /** Runs any command in the workspace of a session. */
  workspaceExec(params: WorkspaceExecParams, call: RunCall): Promise<WorkspaceExecResult>
  workspaceWriteStdin(
    params: OfSession & {
      chars?: string | undefined
      append_newline?: boolean | undefined
      yield_time_ms?: number | undefined
    },
    call: RunCall,
  ): Promise<WorkspaceExecResult>
  workspaceKillSession(params: OfSession, call: RunCall): Promise<Killed>
  workspaceSaveArtifact(
    params: { session: string; path: string },
    call: RunCall,
  ): Promise<SavedFile>
  /** Reads what a ref of these tools stands for. */
  workspaceRead(
    params: {
      session: string
      ref: string
      offset?: number | undefined
      max_bytes?: number | undefined
    },
    call: RunCall,
  ): Promise<ReadRef>
}

/** Each loads its own part when it is first called. */
export function workspaceCalls(services: Services): WorkspaceCalls {
  const exec = async () => await import('./sessions/skill-exec.ts')
  const workspace = async () => await import('./commands/workspace-exec.ts')
  const saved = async () => await import('./artifacts/saved-files.ts')
  const kill = async (params: OfSession, call: RunCall) =>
    await (await exec()).killSession(services, params, call)
  return {
    skillRun: async (params, call) =>
      await (await import('./commands/skill-run.ts')).runSkillCommand(services, params, call),
    skillExec: async (params, call) =>
      await (await exec()).execSkillCommand(services, params, call),
    skillWriteStdin: async (params, call) =>
      await (await exec()).writeToSession(services, params, call),
    skillPollSession: async (params, call) =>
      await (await exec()).pollSession(services, params, call),
    skillKillSession: kill,
    workspaceExec: async (params, call) =>
      await (await workspace()).execInWorkspace(services, params, call),
    workspaceWriteStdin: async (params, call) =>
      await (await workspace()).writeInWorkspace(services, params, call),
    workspaceKillSession: kill,
    workspaceSaveArtifact: async (params, call) =>
      await (await saved()).saveFromWorkspace(services, params, call),
    workspaceRead: async (params, call) =>
      await (await saved()).readFromWorkspace(services, params, call),
  }
}
