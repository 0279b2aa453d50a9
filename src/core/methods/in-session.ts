import { z } from 'zod'
import { DEFAULT_AGENT } from '../loads/session-state.ts'

/** What callers add to tools that remember something. */
export const IN_SESSION = {
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
export const INCLUDE_CONTENT = z
  .boolean()
  .optional()
  .describe('Answer with the content as well, not only with what was loaded')

/** Their names: no model is asked for them. */
export const OF_CALLER: readonly string[] = Object.keys(IN_SESSION)
