import { z } from 'zod'
import { DEFAULT_AGENT, LOAD_MODES } from '../skill-context/session-state.ts'

/** Characters of the longest pattern of a caller; no path is longer. */
export const MAX_GLOB = 4096

/** Parameters that callers add to stateful tools. */
export const SESSION_PARAMS = {
  session: z.string().describe('Name of the conversation'),
  agent: z
    .string()
    .max(256)
    .default(DEFAULT_AGENT)
    .describe('Agent of the session that calls; each agent has its own loads'),
}

/** For callers that do not insert loaded content into requests themselves. */
const INCLUDE_CONTENT_PARAM = z
  .boolean()
  .optional()
  .describe('Also return the loaded content, not only the names of what was loaded')

/** Names of the session parameters, hidden from models. */
export const SESSION_PARAM_NAMES: readonly string[] = Object.keys(SESSION_PARAMS)

/** Parameters that control the lifetime of loads. All but `turn` are stored in the session. */
export const TURN_PARAMS = {
  load_mode: z
    .enum(LOAD_MODES)
    .optional()
    .describe(
      'Lifetime of loads: until the "turn" ends (default), for one request ("once"), or for the "session"; stored until it is changed',
    ),
  max_loaded: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Keep at most this many skills loaded: the most recently used ones; 0 means no limit',
    ),
  turn: z
    .string()
    .optional()
    .describe('Name of the current turn of the conversation; a new name starts a new turn'),
}

/** Position of loaded content, for callers that build requests with `skill_context`. */
const CALL_ID_PARAM = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe(
    "Id of the model's tool call; skill_context returns the content for its result under this id",
  )

/** Parameters that callers add to tools that change loads, and their names, hidden from models. */
export const LOADING_PARAMS = {
  ...SESSION_PARAMS,
  ...TURN_PARAMS,
  call: CALL_ID_PARAM,
  include_content: INCLUDE_CONTENT_PARAM,
}
export const LOADING_PARAM_NAMES: readonly string[] = Object.keys(LOADING_PARAMS)

export type LoadingParams = z.input<z.ZodObject<typeof LOADING_PARAMS>>
