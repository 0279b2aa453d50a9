import { z } from 'zod'
import { killed, SESSION_ID } from '../command-params.ts'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceKillSessionMethod = defineMethod({
  name: 'workspace_kill_session',
  description: 'End a command of workspace_exec with all of its processes, and forget it.',
  ofCaller: OF_CALLER,
  spellings: {},
  params: z.strictObject({ ...SESSION_ID, ...IN_SESSION }),
  result: killed,
})
