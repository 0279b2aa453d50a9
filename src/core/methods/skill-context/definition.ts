import { z } from 'zod'
import { PLACEMENTS } from '../../skill-context/place-parts.ts'
import { SESSION_PARAMS, TURN_PARAMS } from '../session-params.ts'
import {
  defineMethod,
  ACCEPTED_PROFILES,
  FORMER_NAMES,
  type MethodParams,
  type MethodResult,
} from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'

const PARAMS = {
  ...SESSION_PARAMS,
  ...TURN_PARAMS,
  loads: z
    .array(
      z.strictObject({
        skill: z.string().describe('Name of the skill'),
        docs: toReadonlySchema(z.array(z.string())).optional().describe('Exactly these documents'),
        include_all_docs: z.boolean().optional().describe('Load every document of the skill'),
      }),
    )
    .max(100)
    .optional()
    .describe('Skills that the turn begins with, all or none; they need a turn'),
  placement: z
    .enum(PLACEMENTS)
    .optional()
    .describe('Position of loaded content (default: with the result of the call that loaded it)'),
  tool_results: toReadonlySchema(z.array(z.string()).max(10_000))
    .optional()
    .describe('Ids of the tool calls whose results are in the request'),
  messages: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Number of messages in the request; the same number means that the request is repeated',
    ),
  peek: z
    .boolean()
    .optional()
    .describe('Read without counting as a request: loads with mode "once" remain'),
  profile: z
    .enum(ACCEPTED_PROFILES)
    .optional()
    .describe(
      `Also return the list of skills and the rules for the tools of this profile${FORMER_NAMES}`,
    ),
  max_overview: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Describe at most this many skills in the list, and only name the others'),
  guidance: z
    .string()
    .max(64 * 1024)
    .optional()
    .describe('Text instead of the rules; an empty string omits them'),
}

const LOADED = z.object({
  skill: z.string(),
  selected_docs: z.array(z.string()).exactOptional(),
  include_all_docs: z.boolean().exactOptional(),
})

export const skillContextMethod = defineMethod({
  name: 'skill_context',
  description:
    'Return the loaded content of a session for the next request to a model: for the system message, and for the results of tool calls. Call it before each request.',
  callerParams: Object.keys(PARAMS),
  spellings: { mode: 'load_mode' },
  params: z.strictObject(PARAMS),
  result: z.object({
    system: z.string().describe('Content for the end of the system message; may be empty'),
    results: z
      .record(z.string(), z.string())
      .describe('Content for the end of tool results, by the id of their call'),
    loaded: z.array(LOADED).describe('Loaded skills, the most recently used one last'),
    load_mode: TURN_PARAMS.load_mode.unwrap(),
    max_loaded: z.number().int().exactOptional(),
    turn: z.string().exactOptional(),
    notices: z.array(z.string()).exactOptional(),
  }),
})

export type SkillContextParams = MethodParams<typeof skillContextMethod>
export type SkillContextResult = MethodResult<typeof skillContextMethod>
