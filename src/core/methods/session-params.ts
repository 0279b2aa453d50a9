import { z } from 'zod'
import { DEFAULT_AGENT, LOAD_MODES } from '../skill-context/session-state.ts'

/** Parameters that callers add to stateful tools. */
export const SESSION_PARAMS = {
  session: z
    .string()
    .describe('The conversation that this belongs to: any name that the caller chose'),
  agent: z
    .string()
    .max(256)
    .default(DEFAULT_AGENT)
    .describe('Which agent of the session asks; each has loads of its own'),
}

/** For callers that do not insert loaded content into requests themselves. */
const INCLUDE_CONTENT_PARAM = z
  .boolean()
  .optional()
  .describe('Answer with the content as well, not only with what was loaded')

/** Names of the session parameters, hidden from models. */
export const SESSION_PARAM_NAMES: readonly string[] = Object.keys(SESSION_PARAMS)

/** Parameters that control the lifetime of loads. All but `turn` are stored in the session. */
export const TURN_PARAMS = {
  load_mode: z
    .enum(LOAD_MODES)
    .optional()
    .describe(
      'How long loads stay: for the "turn" (until something else is said), for one request ("once"), or for the "session"',
    ),
  max_loaded: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('At most so many skills stay loaded, those that were touched last; 0 is no limit'),
  turn: z
    .string()
    .optional()
    .describe('Which turn of the conversation this belongs to, by any name: a new one begins it'),
}

/** Position of loaded content, for callers that build requests with `skill_context`. */
const CALL_ID_PARAM = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe("Id of the model's tool call; skill_context gives the content for its result")

/** Parameters that callers add to tools that change loads, and their names, hidden from models. */
export const LOADING_PARAMS = {
  ...SESSION_PARAMS,
  ...TURN_PARAMS,
  call: CALL_ID_PARAM,
  include_content: INCLUDE_CONTENT_PARAM,
}
export const LOADING_PARAM_NAMES: readonly string[] = Object.keys(LOADING_PARAMS)

export type LoadingParams = z.input<z.ZodObject<typeof LOADING_PARAMS>>
