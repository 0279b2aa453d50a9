import { invalidParamError } from '../../../errors.ts'
import { openOutput } from '../../outputs/store/open-output.ts'
import { STREAM_NAMES, type OpenOutput } from '../../outputs/store/output-store.ts'
import { queryOutput, type OutputQuery } from '../../outputs/query/query-output.ts'
import { refuseRegexes } from '../../outputs/query/match-regex.ts'
import { RegexSyntaxError } from '../../../util/linear-regex/parse-regex.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { DEFAULT_CONTEXT, DEFAULT_EXCERPTS, DEFAULT_TAIL, QUERY_BOUNDS } from './bounds.ts'
import type { QueryOutputParams, QueryOutputResult } from './definition.ts'
import { openContent } from './open-content.ts'

/** `runtime.queryOutput`: searches the output of a run. */
export async function queryRunOutput(
  services: Pick<Services, 'outputs' | 'runs' | 'blobs' | 'workspaces'>,
  params: QueryOutputParams,
  call: Pick<RunCall, 'caller'> = {},
): Promise<QueryOutputResult> {
  const startedAt = performance.now()
  checkQueryParams(params)
  const { artifactHandle, repoId: repo, cursor, lineRange, stream = 'both', detail } = params
  const reader = { caller: call.caller?.name, repo }
  const output =
    (await openContent(services, params, call)) ??
    (await openOutput(services, artifactHandle, reader))
  const openedAt = performance.now()
  const { notice, ...selected } = selectTail(params)
  try {
    const answer = await searchWithin(output, {
      streams: stream === 'both' ? STREAM_NAMES : [stream],
      terms: params.queryTerms ?? [],
      isRegex: params.regex,
      ...selected,
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
      ...(notice !== undefined && { notice }),
      ...describeRun(output, detail),
      ...(params.includeDiagnostics === true && {
        diagnostics: { timings: { totalMs: Math.round(now - startedAt), phases } },
      }),
    }
  } finally {
    await output.close()
  }
}

function describeRun(
  { about }: Pick<OpenOutput, 'about'>,
  detail: QueryOutputParams['detail'],
): Pick<QueryOutputResult, 'run'> {
  if (about === undefined || detail === undefined || detail === 'compact') return {}
  const { runId, status, exitCode, signal } = about
  return { run: detail === 'full' ? about : { runId, status, exitCode, signal } }
}

/**
 * Checks relations between parameters; also repeats the schema's checks for library callers, which
 * bypass it.
 */
function checkQueryParams(params: QueryOutputParams): void {
  const { cursor, lineRange, stream = 'both' } = params
  checkNumber('maxExcerpts', params.maxExcerpts, QUERY_BOUNDS.maxExcerpts)
  checkNumber('contextLines', params.contextLines, QUERY_BOUNDS.contextLines)
  checkNumber('tail', params.tail, QUERY_BOUNDS.tail)
  checkTerms(params)
  checkRegex(params)
  checkNumber('cursor.afterLine', cursor?.afterLine, NON_NEGATIVE)
  checkNumber('cursor.afterByte', cursor?.afterByte, NON_NEGATIVE)
  checkNumber('lineRange.startLine', lineRange?.startLine, POSITIVE)
  checkNumber('lineRange.endLine', lineRange?.endLine, POSITIVE)
  checkLineRange(params)
  if (cursor && stream !== 'both' && stream !== cursor.stream) {
    throw invalidParamError('stream', 'stream must match cursor.stream when both are provided')
  }
}

function checkLineRange({ lineRange, tail }: QueryOutputParams): void {
  if (!lineRange) return
  if (lineRange.endLine < lineRange.startLine) {
    throw invalidParamError('lineRange', 'endLine must be greater than or equal to startLine')
  }
  if (tail !== undefined) {
    throw invalidParamError('tail', 'tail cannot be combined with lineRange')
  }
}

const NON_NEGATIVE = [0, Number.MAX_SAFE_INTEGER] as const
const POSITIVE = [1, Number.MAX_SAFE_INTEGER] as const

function checkTerms(params: QueryOutputParams): void {
  const { queryTerms: terms = [] } = params
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
}

/** A model may repeat only the handle that a result gave it: it gets the end of the output. */
function selectTail({
  queryTerms: terms = [],
  cursor,
  lineRange,
  tail,
  maxExcerpts = DEFAULT_EXCERPTS,
}: QueryOutputParams): Pick<OutputQuery, 'tail' | 'maxExcerpts'> & { notice?: string } {
  if (terms.length > 0 || cursor || lineRange || tail !== undefined) return { tail, maxExcerpts }
  return {
    tail: DEFAULT_TAIL,
    maxExcerpts: Math.max(maxExcerpts, STREAM_NAMES.length * DEFAULT_TAIL),
    notice: TAIL_NOTICE,
  }
}

const TAIL_NOTICE = `These are the last ${DEFAULT_TAIL} lines of each stream, because the query had no queryTerms, tail, cursor or lineRange`

function checkRegex({ queryTerms: terms = [], regex, lineRange }: QueryOutputParams): void {
  if (regex !== true || lineRange) return
  if (terms.length === 0) throw invalidParamError('regex', 'regex needs queryTerms')
  const refusal = refuseRegexes(terms)
  if (refusal !== undefined) throw invalidParamError('queryTerms', refusal, REGEX_HINT)
}

const REGEX_HINT =
  'Write regular expressions without back-references and lookaround, such as "error|failed [a-z]+"'

/** Runs the query; reports an expression that needs too many steps for this output. */
async function searchWithin(
  ...[output, query]: Parameters<typeof queryOutput>
): ReturnType<typeof queryOutput> {
  try {
    return await queryOutput(output, query)
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error
    const reason = `the regular expression cannot be used on this output: ${error.message}`
    throw invalidParamError(
      'queryTerms',
      reason,
      'Repeat fewer parts in it, or search for plain terms',
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
