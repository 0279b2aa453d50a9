import { z } from 'zod'
import {
  COMMAND_CALLER_PARAMS,
  COMMAND_CALLER_PARAM_NAMES,
  REQUIRE_LOAD_PARAM,
  SKILL_COMMAND_PARAMS,
  skillRunResult,
} from '../command-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const skillRunMethod = defineMethod({
  name: 'skill_run',
  description:
    'Run one command of a skill in the workspace of this conversation, sandboxed, and get its output and files. Write results to out/ and name them in output_files. If a command fails, the result has its exit_code and stderr: read them before you try again.',
  callerParams: [...COMMAND_CALLER_PARAM_NAMES, 'require_load'],
  spellings: {},
  params: z.strictObject({
    ...SKILL_COMMAND_PARAMS,
    ...COMMAND_CALLER_PARAMS,
    ...REQUIRE_LOAD_PARAM,
  }),
  result: skillRunResult,
})

export type SkillCommandParams = MethodParams<typeof skillRunMethod>
export type SkillRunResult = MethodResult<typeof skillRunMethod>
