import { z } from 'zod'
import {
  AROUND_COMMANDS,
  OF_COMMAND_CALLER,
  SKILL_COMMAND,
  skillRunResult,
} from '../command-params.ts'
import { defineMethod, type ParamsOf, type ResultOf } from '../define-method.ts'

export const skillRunMethod = defineMethod({
  name: 'skill_run',
  description:
    'Run one command of a skill in the workspace of this conversation, sandboxed, and get its output and files. Write results below out/ and name them in output_files. A command that fails is answered with its exit_code and stderr: read them before trying again.',
  ofCaller: [...OF_COMMAND_CALLER, 'require_load'],
  spellings: {},
  params: z.strictObject({
    ...SKILL_COMMAND,
    ...AROUND_COMMANDS,
    require_load: z.boolean().optional().describe('Refuse it unless skill_load came before'),
  }),
  result: skillRunResult,
})

export type SkillCommandParams = ParamsOf<typeof skillRunMethod>
export type SkillRunResult = ResultOf<typeof skillRunMethod>
