import { describeRunTarget } from '../../runs/history/describe-target.ts'
import type { RecordedRequest, RunRecord } from '../../runs/history/run-record.ts'
import type { RunRow } from './definition.ts'

/** Characters of a row's arguments, and of its summary. */
const MAX_ARGS = 300
const MAX_SUMMARY = 300
/** Names of arguments that a row lists as missing. */
const MAX_NAMES = 5

/** Builds the row of a record in a list. */
export function buildRunRow(record: RunRecord): RunRow {
  const { run_id, kind, status, who, started_at, ended_at, duration_ms, summary, error } = record
  return {
    run_id,
    kind,
    status,
    target: describeRunTarget(record),
    entry_point: who.door,
    caller: who.caller,
    started_at,
    ended_at,
    duration_ms,
    live: status === 'running',
    ...shortenArguments(record.request),
    summary: summary === null ? null : cutText(summary, MAX_SUMMARY),
    error_type: error?.type ?? null,
  }
}

function shortenArguments({
  args,
  args_cut: missing,
}: Pick<RecordedRequest, 'args' | 'args_cut'>): Pick<RunRow, 'args' | 'args_cut'> {
  const all = JSON.stringify(args)
  const shown = cutText(all, MAX_ARGS)
  const names = missing.slice(0, MAX_NAMES).map((each) => `${each.name} (${each.size_bytes} bytes)`)
  const further = missing.length - names.length
  const cuts = [
    ...(shown === all ? [] : [`${all.length - shown.length + 1} more characters`]),
    ...(names.length === 0
      ? []
      : [`not recorded: ${names.join(', ')}${further > 0 ? ` and ${further} more` : ''}`]),
  ]
  return { args: shown, args_cut: cuts.length === 0 ? null : cuts.join('; ') }
}

/** Cuts before a character that would be split. The last character says so. */
function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text[limit - 2] ?? '') ? limit - 2 : limit - 1
  return `${text.slice(0, end)}…`
}
