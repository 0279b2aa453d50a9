import { z } from 'zod'
import { PLACEMENTS } from '../../skill-context/place-parts.ts'
import { SESSION_PARAMS, TURN_PARAMS } from '../session-params.ts'
import {
  defineMethod,
  PROFILE_NAMES,
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
        include_all_docs: z.boolean().optional().describe('Every document of it'),
      }),
    )
    .max(100)
    .optional()
    .describe('Skills that the turn begins with, all or none; they need a turn'),
  placement: z
    .enum(PLACEMENTS)
    .optional()
    .describe('Where loaded content stands: beside the call that asked for it unless given'),
  tool_results: toReadonlySchema(z.array(z.string()).max(10_000))
    .optional()
    .describe('Ids of the tool calls whose results are in the request'),
  messages: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('How many messages the request has: the same number is the same request again'),
  peek: z
    .boolean()
    .optional()
    .describe('Only look: what is shown once is still there for the next request'),
  profile: z
    .enum(PROFILE_NAMES)
    .optional()
    .describe('Begin with the list of skills, and the rules for the tools of this profile'),
  max_overview: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Describe at most this many skills; list only the names of the others'),
  guidance: z
    .string()
    .max(64 * 1024)
    .optional()
    .describe('Stands in place of the rules; blank leaves them out'),
}

const LOADED = z.object({
  skill: z.string(),
  selected_docs: z.array(z.string()).exactOptional(),
  include_all_docs: z.boolean().exactOptional(),
})

export const skillContextMethod = defineMethod({
  name: 'skill_context',
  description:
    'Give what the next request to a model shows of the skills of a session: for the system message, and for the results of tool calls. Whoever builds requests calls it before each of them.',
  callerParams: Object.keys(PARAMS),
  spellings: { mode: 'load_mode' },
  params: z.strictObject(PARAMS),
  result: z.object({
    system: z.string().describe('Stands at the end of the system message; may be empty'),
    results: z
      .record(z.string(), z.string())
      .describe('Stands at the end of tool results, by the id of their call'),
    loaded: z.array(LOADED).describe('Skills that are loaded, the one touched last at the end'),
    load_mode: TURN_PARAMS.load_mode.unwrap(),
    max_loaded: z.number().int().exactOptional(),
    turn: z.string().exactOptional(),
  }),
})

export type SkillContextParams = MethodParams<typeof skillContextMethod>
export type SkillContextResult = MethodResult<typeof skillContextMethod>
