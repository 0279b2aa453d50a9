import { z } from 'zod'
import { TOOL_FORMATS } from '../../tool-formats/tool-format-names.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { SKILL_PARAMS } from '../skill-params.ts'

export const describeSkillToolsMethod = defineMethod({
  name: 'describe_skill_tools',
  description:
    'Return the text and the tool definitions that a model of one vendor is sent for a skill.',
  params: z.strictObject({
    ...SKILL_PARAMS,
    format: z.enum(TOOL_FORMATS).default('openai').describe('Format of a vendor'),
  }),
  result: z.object({
    format: z.enum(TOOL_FORMATS),
    overview: z.string().describe('Its part of the system message of every request'),
    body: z.string().describe('Text that is added once the skill is loaded'),
    tools: z.unknown().describe('Tool definitions as they are sent'),
  }),
})

export type DescribeSkillToolsParams = MethodParams<typeof describeSkillToolsMethod>
export type DescribeSkillToolsResult = MethodResult<typeof describeSkillToolsMethod>
