import { z } from 'zod'
import { killedResult, SESSION_ID_PARAM } from '../command-params.ts'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceKillSessionMethod = defineMethod({
  name: 'workspace_kill_session',
  description:
    'End a command of workspace_exec with its processes, and forget it. The session_id "*" ends all commands of the conversation, and the sandbox that they share.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({ ...SESSION_ID_PARAM, ...SESSION_PARAMS }),
  result: killedResult,
})
