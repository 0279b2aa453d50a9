import { z } from 'zod'
import { STREAM_CHOICES, STREAM_NAMES, type OutputFacts } from '../../outputs/store/output-store.ts'
import { MATCH_STATUSES, type OutputQueryResult } from '../../outputs/query/query-output.ts'
import { VIEWS } from '../../outputs/view/format-output-text.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { DEFAULT_CONTEXT, DEFAULT_EXCERPTS, QUERY_BOUNDS, QUERY_DETAILS } from './bounds.ts'

export interface QueryOutputResult extends OutputQueryResult {
  artifactHandle: string
  /** Present if the end of the output was returned by default. */
  notice?: string
  /** State of the run, if `detail` asks for it. */
  run?: Pick<OutputFacts, 'runId' | 'status' | 'exitCode' | 'signal'> & Partial<OutputFacts>
  diagnostics?: { timings: { totalMs: number; phases: Record<string, number> } }
}

const [LEAST_EXCERPTS, MOST_EXCERPTS] = QUERY_BOUNDS.maxExcerpts
const [LEAST_CONTEXT, MOST_CONTEXT] = QUERY_BOUNDS.contextLines
const [LEAST_TAIL, MOST_TAIL] = QUERY_BOUNDS.tail

/** Not in the schema, whose size models pay for. */
const HANDLE = /^(?:[A-Za-z0-9_-]+|blob:.+|(?:artifact|workspace):\/\/.+)$/s

const streamName = z.enum(STREAM_NAMES)

const cursor = z.strictObject({
  stream: streamName,
  afterLine: z.int().min(0),
  afterByte: z.int().min(0).optional(),
})

const lineRange = z.strictObject({
  stream: streamName,
  startLine: z.int().min(1),
  endLine: z.int().min(1),
})

export const runtimeQueryOutputMethod = defineMethod({
  name: 'runtime.queryOutput',
  aliases: ['sdl.runtime.queryOutput'],
  callerParams: ['session', 'repoId', 'view', 'detail', 'includeDiagnostics'],
  description:
    'Read or search kept output of any length, a blob, an artifact or a file. Without queryTerms, tail, cursor or lineRange: the last 20 lines of each stream.',
  params: z.strictObject({
    artifactHandle: z
      .string()
      .refine((handle) => handle.length <= QUERY_BOUNDS.handle && HANDLE.test(handle), {
        message: 'must be a handle, an id of a run, blob:…, artifact://… or workspace://…',
      })
      .describe('Handle of an output, id of a run, blob:…, artifact://… or workspace://…'),
    session: z.string().optional().describe('Conversation that has the file or the artifact'),
    repoId: z
      .string()
      .min(1)
      .max(QUERY_BOUNDS.repoId)
      .optional()
      .describe('Repository that the run must have used'),
    queryTerms: toReadonlySchema(z.array(z.string()).max(QUERY_BOUNDS.terms))
      .optional()
      .describe('Show lines with one of these terms, ignoring case'),
    regex: z.boolean().optional().describe('The terms are regular expressions without lookaround'),
    tail: z
      .int()
      .min(LEAST_TAIL)
      .max(MOST_TAIL)
      .optional()
      .describe('Last lines of each stream, or last matches; repeat it with a cursor'),
    maxExcerpts: z
      .int()
      .min(LEAST_EXCERPTS)
      .max(MOST_EXCERPTS)
      .default(DEFAULT_EXCERPTS)
      .describe('Excerpts per page, or lines without terms'),
    contextLines: z
      .int()
      .min(LEAST_CONTEXT)
      .max(MOST_CONTEXT)
      .default(DEFAULT_CONTEXT)
      .describe('Lines around each match'),
    stream: z.enum(STREAM_CHOICES).optional().describe('Default: both'),
    cursor: cursor.optional().describe('nextCursor of the previous page'),
    lineRange: lineRange.optional().describe('Lines to read, from 1'),
    view: z.enum(VIEWS).default('model').describe('raw keeps colours, durations and binary bytes'),
    detail: z
      .enum(QUERY_DETAILS)
      .optional()
      .describe('standard adds the status of the run; full adds all facts about the output'),
    includeDiagnostics: z.boolean().optional().describe('Return the duration of the query'),
  }),
  result: z.looseObject({
    artifactHandle: z.string(),
    excerpts: z.array(
      z.looseObject({
        lineStart: z.int(),
        lineEnd: z.int(),
        content: z.string(),
        source: streamName,
        encoding: z.literal('base64').optional(),
      }),
    ),
    totalLines: z.int().describe('Number of lines in the searched streams'),
    totalBytes: z.int(),
    searchedStreams: z.array(streamName),
    matchStatus: z.enum(MATCH_STATUSES),
    matchCount: z.int().describe('Number of matching lines from the cursor on, shown or not'),
    omitted: z
      .int()
      .optional()
      .describe('With tail: number of lines or matching lines from the cursor on that it cuts off'),
    notice: z
      .string()
      .optional()
      .describe('Present if the query named only the output, and so returned the end of it'),
    nextCursor: cursor.optional().describe('Cursor of the next page; missing on the last page'),
  }) as unknown as z.ZodType<QueryOutputResult>,
})

export type QueryOutputParams = MethodParams<typeof runtimeQueryOutputMethod>
