import { z } from 'zod'
import { DEFAULT_AGENT, LOAD_MODES } from '../skill-context/session-state.ts'

/** What callers add to tools that remember something. */
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

/** Whether the answer has the text as well, for callers that add none to requests themselves. */
const INCLUDE_CONTENT_PARAM = z
  .boolean()
  .optional()
  .describe('Answer with the content as well, not only with what was loaded')

/** Their names: no model is asked for them. */
export const SESSION_PARAM_NAMES: readonly string[] = Object.keys(SESSION_PARAMS)

/** What callers say of how long loads stay. All but the turn is kept once it was said. */
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

/** Where the content of a load stands, for callers that build requests of `skill_context`. */
const CALL_ID_PARAM = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe("Id of the model's tool call; skill_context gives the content for its result")

/** What tools that change loads take of their caller, and what of it no model is asked for. */
export const LOADING_PARAMS = {
  ...SESSION_PARAMS,
  ...TURN_PARAMS,
  call: CALL_ID_PARAM,
  include_content: INCLUDE_CONTENT_PARAM,
}
export const LOADING_PARAM_NAMES: readonly string[] = Object.keys(LOADING_PARAMS)

/** Their types. */
export type LoadingParams = z.input<z.ZodObject<typeof LOADING_PARAMS>>
