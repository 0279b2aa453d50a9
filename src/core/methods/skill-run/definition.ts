import { z } from 'zod'
import {
  COMMAND_CALLER_PARAMS,
  COMMAND_CALLER_PARAM_NAMES,
  SKILL_COMMAND_PARAMS,
  skillRunResult,
} from '../command-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const skillRunMethod = defineMethod({
  name: 'skill_run',
  description:
    'Run one command of a skill in the workspace of this conversation, sandboxed, and get its output and files. Write results below out/ and name them in output_files. A command that fails is answered with its exit_code and stderr: read them before trying again.',
  callerParams: [...COMMAND_CALLER_PARAM_NAMES, 'require_load'],
  spellings: {},
  params: z.strictObject({
    ...SKILL_COMMAND_PARAMS,
    ...COMMAND_CALLER_PARAMS,
    require_load: z.boolean().optional().describe('Refuse it unless skill_load came before'),
  }),
  result: skillRunResult,
})

export type SkillCommandParams = MethodParams<typeof skillRunMethod>
export type SkillRunResult = MethodResult<typeof skillRunMethod>
