import type {
  QueryOutputParams,
  QueryOutputResult,
} from '../../core/methods/runtime-query-output/definition.ts'
import type { Excerpt } from '../../core/outputs/view/output-view.ts'
import { SkillsError } from '../../errors.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatExcerptLines } from '../ui/excerpt-lines.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatCursor, readOutputQuery } from './query-options.ts'

/** `skills runs query`. */
export async function queryRunOutput(context: Context, call: CommandLine): Promise<number> {
  const request = readOutputQuery(call)
  const all = getFlagOption(call, 'all')
  if (all && (context.global.json || request.lineRange)) {
    const other = request.lineRange ? '--lines' : '--json'
    throw new SkillsError('usage/invalid', `--all cannot be combined with ${other}`, {
      hint: 'Read page by page with --cursor',
    })
  }
  const handle = await openHandle(context, call)
  const artifactHandle = await handle.completeId('run', call.args[0] ?? '')
  const params = { ...request, artifactHandle }
  if (all) return await showAllPages(context, handle, params)
  const result = await handle.call('runtime.queryOutput', params)
  if (context.global.json) context.document('skills.run-output/v1', result)
  else {
    showPage(context, params, result)
    noteRemaining(context, params, result)
  }
  return 0
}

/** Prints every page in order. */
async function showAllPages(
  context: Context,
  handle: RuntimeHandle,
  params: QueryOutputParams,
): Promise<number> {
  let page = params
  let isFirst = true
  for (;;) {
    const result = await handle.call('runtime.queryOutput', page)
    const isSearch = (params.queryTerms ?? []).length > 0
    if (isSearch && !isFirst && result.excerpts.length > 0) context.print('--')
    showPage(context, page, result)
    if (isFirst) {
      noteNoMatch(context, result)
      noteOmitted(context, params, result)
    }
    const { nextCursor: cursor } = result
    if (!cursor || context.signal.aborted) return 0
    isFirst = false
    page = { ...params, cursor }
  }
}

function showPage(context: Context, params: QueryOutputParams, result: QueryOutputResult): void {
  if (result.matchStatus === 'noMatchFallback') return
  const { queryTerms: terms = [], regex = false } = params
  const { excerpts } = result
  if (terms.length === 0 && context.stdout.isTTY !== true) {
    for (const excerpt of excerpts) writeExcerpt(context, excerpt, result)
    return
  }
  const namesStream = result.searchedStreams.length > 1
  const shown = excerpts.map((each) =>
    formatExcerptLines(context, each, { terms, regex, namesStream }).join('\n'),
  )
  const between = terms.length > 0 ? '\n--\n' : '\n'
  if (shown.length > 0) context.print(shown.join(between))
}

/** Excerpts continue across pages, so a line feed is added only if the line is complete. */
function writeExcerpt(
  context: Context,
  { content, encoding, source }: Excerpt,
  { nextCursor }: QueryOutputResult,
): void {
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8')
  context.stdout.write(bytes)
  const goesOn = nextCursor?.stream === source && nextCursor.afterByte !== undefined
  if (!goesOn && bytes.length > 0 && bytes.at(-1) !== 10) context.stdout.write('\n')
}

function noteNoMatch(context: Context, { matchStatus, searchedStreams }: QueryOutputResult) {
  if (!matchStatus.startsWith('noMatch')) return
  context.note(`No line of ${searchedStreams.join(' or ')} matches`)
}

function noteOmitted(
  context: Context,
  { queryTerms = [] }: Pick<QueryOutputParams, 'queryTerms'>,
  { omitted = 0 }: QueryOutputResult,
): void {
  if (omitted === 0) return
  const unit = queryTerms.length > 0 ? 'earlier matching line' : 'earlier line'
  context.note(`--tail leaves out ${formatPlural(omitted, unit)}`)
}

function noteRemaining(
  context: Context,
  { queryTerms = [] }: QueryOutputParams,
  result: QueryOutputResult,
): void {
  noteNoMatch(context, result)
  noteOmitted(context, { queryTerms }, result)
  const { nextCursor, matchCount, totalLines } = result
  if (!nextCursor) return
  const remaining =
    queryTerms.length > 0
      ? `${formatPlural(matchCount, 'line')} match, not all are shown`
      : `Not all of ${formatPlural(totalLines, 'line')} are shown`
  context.note(`${remaining}: add --cursor ${formatCursor(nextCursor)}, or --all`)
}
