import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'

/** Sessions of one page. */
export const SESSION_LIMITS = { usual: 100, most: 500 } as const

export const SESSION_FACTS = {
  id: z.string().describe('Id for describe_session'),
  session: z.string().nullable().describe('Its name; null if its state cannot be read'),
  caller: z.string().nullable().describe('Null for the local user'),
  entry_point: z.string().nullable().describe('cli, http, mcp or library'),
  changed_at: z.string().describe('Time of the last change of its loads'),
}

export const listSessionsMethod = defineMethod({
  name: 'list_sessions',
  description:
    'List the sessions in which agents of this caller loaded skills, the last changed one first. With the scope "operate": of all callers.',
  params: z.strictObject({
    limit: z
      .int()
      .min(1)
      .max(SESSION_LIMITS.most)
      .default(SESSION_LIMITS.usual)
      .describe('Maximum number of sessions to return'),
    cursor: z.string().max(200).optional().describe('next_cursor of the previous page'),
  }),
  result: z.object({
    sessions: toReadonlySchema(
      z.array(
        z.object({
          ...SESSION_FACTS,
          agents: z.int().describe('Agents that loaded skills'),
          loaded: toReadonlySchema(z.array(z.string())).describe('Loaded skills of all agents'),
          files: z.int().describe('Files that the application added'),
          problem: z.string().nullable().describe('Reason why its state cannot be read'),
        }),
      ),
    ),
    next_cursor: z.string().nullable(),
  }),
})

export type ListSessionsParams = MethodParams<typeof listSessionsMethod>
export type ListSessionsResult = MethodResult<typeof listSessionsMethod>
