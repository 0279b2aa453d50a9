import { z } from 'zod'
import { killSession, type SessionParams } from '../../workspaces/sessions/skill-exec.ts'
import { killed, SESSION_ID } from '../command-params.ts'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import type { Method } from '../method.ts'

type Params = Pick<SessionParams, 'session' | 'session_id'>

export const workspaceKillSessionMethod: Method<Params, Awaited<ReturnType<typeof killSession>>> = {
  name: 'workspace_kill_session',
  description: 'End a command of workspace_exec with all of its processes, and forget it.',
  readOnly: false,
  ofCaller: OF_CALLER,
  spellings: {},
  params: z.strictObject({ ...SESSION_ID, ...IN_SESSION }),
  result: killed,
  run: killSession,
}
