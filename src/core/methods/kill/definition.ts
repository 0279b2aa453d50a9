import { z } from 'zod'
import { killedResult, SESSION_ID_PARAM } from '../command-params.ts'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

/** Definition of `kill` and `skill_kill_session`, without their names. */
export const KILL = {
  description:
    'End a running command and its processes. "*" ends all commands of the conversation, and their sandbox.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({ ...SESSION_ID_PARAM, ...SESSION_PARAMS }),
  result: killedResult,
}

export const killMethod = defineMethod({
  name: 'kill',
  // The name in trpc-agent-go.
  aliases: ['workspace_kill_session'],
  ...KILL,
})
