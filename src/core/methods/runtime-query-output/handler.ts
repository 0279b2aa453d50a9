import { invalidParamError } from '../../../errors.ts'
import { openOutput } from '../../outputs/store/open-output.ts'
import { STREAM_NAMES, type OutputFacts } from '../../outputs/store/output-store.ts'
import { queryOutput } from '../../outputs/query/query-output.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { DEFAULT_CONTEXT, DEFAULT_EXCERPTS, QUERY_BOUNDS } from './bounds.ts'
import type { QueryOutputParams, QueryOutputResult } from './definition.ts'

/** `runtime.queryOutput`: searches the output of a run. */
export async function queryRunOutput(
  services: Pick<Services, 'outputs' | 'runs'>,
  params: QueryOutputParams,
  { caller }: Pick<RunCall, 'caller'> = {},
): Promise<QueryOutputResult> {
  const startedAt = performance.now()
  checkQueryParams(params)
  const { artifactHandle, repoId: repo, cursor, lineRange, stream = 'both', detail } = params
  const output = await openOutput(services, artifactHandle, { caller, repo })
  const openedAt = performance.now()
  try {
    const answer = await queryOutput(output, {
      streams: stream === 'both' ? STREAM_NAMES : [stream],
      terms: params.queryTerms ?? [],
      maxExcerpts: params.maxExcerpts ?? DEFAULT_EXCERPTS,
      contextLines: params.contextLines ?? DEFAULT_CONTEXT,
      view: params.view ?? 'model',
      cursor,
      lineRange,
    })
    const now = performance.now()
    const phases = { open: Math.round(openedAt - startedAt), search: Math.round(now - openedAt) }
    return {
      artifactHandle,
      ...answer,
      ...(detail === 'standard' && { run: pickRunEnd(output.about) }),
      ...(detail === 'full' && { run: output.about }),
      ...(params.includeDiagnostics === true && {
        diagnostics: { timings: { totalMs: Math.round(now - startedAt), phases } },
      }),
    }
  } finally {
    await output.close()
  }
}

function pickRunEnd({ runId, status, exitCode, signal }: OutputFacts) {
  return { runId, status, exitCode, signal }
}

/**
 * Checks relations between parameters; also repeats the schema's checks for library callers, which
 * bypass it.
 */
function checkQueryParams(params: QueryOutputParams): void {
  const { cursor, lineRange, stream = 'both' } = params
  checkNumber('maxExcerpts', params.maxExcerpts, QUERY_BOUNDS.maxExcerpts)
  checkNumber('contextLines', params.contextLines, QUERY_BOUNDS.contextLines)
  checkTerms(params)
  checkNumber('cursor.afterLine', cursor?.afterLine, NON_NEGATIVE)
  checkNumber('cursor.afterByte', cursor?.afterByte, NON_NEGATIVE)
  checkNumber('lineRange.startLine', lineRange?.startLine, POSITIVE)
  checkNumber('lineRange.endLine', lineRange?.endLine, POSITIVE)
  if (lineRange && lineRange.endLine < lineRange.startLine) {
    throw invalidParamError('lineRange', 'endLine must be greater than or equal to startLine')
  }
  if (cursor && stream !== 'both' && stream !== cursor.stream) {
    throw invalidParamError('stream', 'stream must match cursor.stream when both are provided')
  }
}

const NON_NEGATIVE = [0, Number.MAX_SAFE_INTEGER] as const
const POSITIVE = [1, Number.MAX_SAFE_INTEGER] as const

function checkTerms({ queryTerms: terms = [], cursor, lineRange }: QueryOutputParams): void {
  if (terms.length > QUERY_BOUNDS.terms) {
    throw invalidParamError(
      'queryTerms',
      `expected at most ${QUERY_BOUNDS.terms} terms, got ${terms.length}`,
    )
  }
  if (terms.some((term) => term.length > QUERY_BOUNDS.term)) {
    throw invalidParamError(
      'queryTerms',
      `expected at most ${QUERY_BOUNDS.term} characters in a term`,
    )
  }
  if (terms.length === 0 && !cursor && !lineRange) {
    throw invalidParamError(
      'queryTerms',
      'terms are required unless cursor or lineRange is provided',
    )
  }
}

function checkNumber(
  param: string,
  value: number | undefined,
  [minimum, maximum]: readonly [number, number],
): void {
  if (value === undefined) return
  if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return
  throw invalidParamError(
    param,
    `expected a whole number from ${minimum} to ${maximum}, got ${value}`,
  )
}
