import type { ExecuteResult } from '../../core/programs/execute-result.ts'
import type { Excerpt } from '../../core/outputs/view/output-view.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Shows how a program ended, and its output unless already shown. */
export function showExecution(
  context: Context,
  result: ExecuteResult,
  { isShown }: { isShown: boolean },
): void {
  if (!isShown) showOutput(context, result)
  for (const line of result.notices ?? []) context.note(toPrintable(line))
  if (isShown && result.status === 'success' && !isTruncated(result)) return
  for (const line of formatExecutionSummary(result)) context.note(toPrintable(line))
}

function showOutput(context: Context, result: ExecuteResult): void {
  const { stdoutSummary = '', stderrSummary = '', excerpts = [], digest } = result
  const shown = (text: string, isTTY: boolean | undefined) =>
    isTTY === true ? toPrintableLines(text) : text
  if (stdoutSummary !== '')
    context.print(shown(stdoutSummary.replace(/\n$/, ''), context.stdout.isTTY))
  for (const each of excerpts) context.print(shown(formatOutputExcerpt(each), context.stdout.isTTY))
  for (const { name, file, line, message } of digest?.failures ?? []) {
    const location = [file, line].filter((part) => part !== undefined).join(':')
    context.print(toPrintable([location, name, message].filter(Boolean).join(': ')))
  }
  if (stderrSummary !== '') {
    context.stderr.write(`${shown(stderrSummary.replace(/\n$/, ''), context.stderr.isTTY)}\n`)
  }
}

function formatOutputExcerpt({ lineStart, lineEnd, content, source }: Excerpt): string {
  return `${source} ${lineStart}-${lineEnd}:\n${content}`
}

function isTruncated({ truncation }: ExecuteResult): boolean {
  return truncation?.stdoutTruncated === true || truncation?.stderrTruncated === true
}

function formatExecutionSummary(result: ExecuteResult): string[] {
  const { policyDecision, error, notKept, truncation, artifactHandle } = result
  const reasons = policyDecision?.deniedReasons ?? []
  const cut = isTruncated(result) ? truncation : undefined
  return [
    `${formatHeadline(result)}${result.phase === 'compile' ? ' while compiling' : ''}`,
    ...reasons,
    ...formatExecutionError(error),
    ...(cut
      ? [
          `Output is truncated: ${cut.totalStdoutBytes} and ${cut.totalStderrBytes} bytes were printed`,
        ]
      : []),
    ...(artifactHandle ? [`Output: skills runs query ${artifactHandle} <term>`] : []),
    ...(notKept ? [notKept] : []),
    ...(result.quotingWarnings ?? []),
    ...(result.runtimeHints ?? []),
  ]
}

function formatExecutionError(error: ExecuteResult['error']): string[] {
  if (!error) return []
  return [`${error.type}: ${error.message}`, ...(error.hint ? [`  → ${error.hint}`] : [])]
}

function formatHeadline({ status, exitCode, signal, durationMs }: ExecuteResult): string {
  if (status === 'denied') return 'Denied by policy'
  if (status === 'cancelled') return 'Cancelled'
  if (status === 'running') return 'Running'
  const how = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`
  const statusText = { success: 'Success', failure: 'Failed', timeout: 'Timed out' }[status]
  return `${statusText}: ${how}, ${durationMs} ms`
}
