import { z } from 'zod'
import { STREAM_CHOICES, STREAM_NAMES, type OutputFacts } from '../../outputs/store/output-store.ts'
import { MATCH_STATUSES, type OutputQueryResult } from '../../outputs/query/query-output.ts'
import { VIEWS } from '../../outputs/view/format-output-text.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { DEFAULT_CONTEXT, DEFAULT_EXCERPTS, QUERY_BOUNDS, QUERY_DETAILS } from './bounds.ts'

export interface QueryOutputResult extends OutputQueryResult {
  artifactHandle: string
  /** State of the run, if `detail` asks for it. */
  run?: Pick<OutputFacts, 'runId' | 'status' | 'exitCode' | 'signal'> & Partial<OutputFacts>
  diagnostics?: { timings: { totalMs: number; phases: Record<string, number> } }
}

const [LEAST_EXCERPTS, MOST_EXCERPTS] = QUERY_BOUNDS.maxExcerpts
const [LEAST_CONTEXT, MOST_CONTEXT] = QUERY_BOUNDS.contextLines

const streamName = z.enum(STREAM_NAMES)

const cursor = z.strictObject({
  stream: streamName,
  afterLine: z.int().min(0),
  afterByte: z.int().min(0).optional().describe('Bytes of the next line that were given as well'),
})

const lineRange = z.strictObject({
  stream: streamName,
  startLine: z.int().min(1),
  endLine: z.int().min(1),
})

export const runtimeQueryOutputMethod = defineMethod({
  name: 'runtime.queryOutput',
  aliases: ['sdl.runtime.queryOutput'],
  description:
    'Search what a run printed, or read lines of it, however long it is: by the artifactHandle of runtime.execute, or by the id of any run. Give queryTerms, a cursor of the page before, or a lineRange.',
  params: z.strictObject({
    artifactHandle: z
      .string()
      .min(1)
      .max(QUERY_BOUNDS.handle)
      .regex(/^[A-Za-z0-9_-]+$/, 'must contain only alphanumerics, dashes, and underscores')
      .describe('Handle of an output, or id of a run'),
    repoId: z
      .string()
      .min(1)
      .max(QUERY_BOUNDS.repoId)
      .optional()
      .describe('Repository that the run worked in; refused where it was another one'),
    queryTerms: toReadonlySchema(z.array(z.string().max(QUERY_BOUNDS.term)).max(QUERY_BOUNDS.terms))
      .optional()
      .describe('Texts to look for, whatever their case; a line with one of them matches'),
    maxExcerpts: z
      .int()
      .min(LEAST_EXCERPTS)
      .max(MOST_EXCERPTS)
      .default(DEFAULT_EXCERPTS)
      .describe('Excerpts on a page; lines, where there are no terms'),
    contextLines: z
      .int()
      .min(LEAST_CONTEXT)
      .max(MOST_CONTEXT)
      .default(DEFAULT_CONTEXT)
      .describe('Lines around each match'),
    stream: z.enum(STREAM_CHOICES).optional().describe('Where to look; both unless given'),
    cursor: cursor.optional().describe('nextCursor of the page before'),
    lineRange: lineRange.optional().describe('Lines to read as they are, from 1'),
    view: z
      .enum(VIEWS)
      .default('model')
      .describe('raw leaves colours and times of tests in, and gives bytes that are no text'),
    detail: z
      .enum(QUERY_DETAILS)
      .optional()
      .describe('standard adds how the run ended, full all that is known of the output'),
    includeDiagnostics: z.boolean().optional().describe('Say how long it took'),
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
    totalLines: z.int().describe('Of the streams that were searched'),
    totalBytes: z.int(),
    searchedStreams: z.array(streamName),
    matchStatus: z.enum(MATCH_STATUSES),
    matchCount: z
      .int()
      .describe('Number of matching lines after the cursor, including lines without an excerpt'),
    nextCursor: cursor.optional().describe('Where the next page begins; missing on the last one'),
  }) as unknown as z.ZodType<QueryOutputResult>,
})

export type QueryOutputParams = MethodParams<typeof runtimeQueryOutputMethod>
