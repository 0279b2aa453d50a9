import type { ListSessionsResult } from '../../core/methods/list-sessions/definition.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readCountOption } from '../store/count-option.ts'
import { formatToSeconds } from '../store/format-to-seconds.ts'
import { formatTable } from '../ui/table.ts'

const PAGE_SIZE = 500

type SessionLine = ListSessionsResult['sessions'][number]

/** `skills agent ls`: sessions in which agents loaded skills. */
export async function runListSessionsCommand(context: Context, call: CommandLine): Promise<number> {
  const limit = readCountOption(call, 'limit', 100)
  const handle = await openHandle(context, call)
  const sessions: SessionLine[] = []
  let cursor: string | null = null
  do {
    const page: ListSessionsResult = await handle.call('list_sessions', {
      limit: Math.min(limit - sessions.length, PAGE_SIZE),
      ...(cursor !== null && { cursor }),
    })
    sessions.push(...page.sessions)
    cursor = page.next_cursor
  } while (cursor !== null && sessions.length < limit)
  if (context.global.json) {
    context.document('skills.agent-sessions/v1', { sessions, complete: cursor === null })
    return 0
  }
  showSessions(context, sessions)
  if (cursor !== null) context.note('There are more sessions; add a higher --limit')
  return 0
}

function showSessions(context: Context, sessions: readonly SessionLine[]): void {
  if (sessions.length === 0) {
    context.note('No session has loaded a skill; type "skills agent load" to load one')
    return
  }
  const { style } = context
  const rows = sessions.map(({ id, session, caller, entry_point: door, loaded, ...each }) => [
    id,
    toPrintable(session ?? '-'),
    formatToSeconds(each.changed_at),
    toPrintable(`${caller ?? 'local user'}${door === null ? '' : ` (${door})`}`),
    toPrintable(each.problem ?? (loaded.join(', ') || 'nothing loaded')),
  ])
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan, undefined, style.dim] }))
}
