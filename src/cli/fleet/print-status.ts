import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatTable } from '../ui/table.ts'
import { formatSize } from '../ui/text.ts'
import { noteUnreadable } from './nodes.ts'
import type { FleetStatus } from './read-status.ts'

/** Prints the status of a fleet, and its problem as a notice. */
export function printStatus(context: Context, status: FleetStatus): void {
  const { engine, tenant, streams, workers, fronts, places, waiting, unreadable, problem } = status
  const { style } = context
  const connection = engine.connected ? 'connected' : 'not connected'
  const rows = [
    ['engine', `nats-server ${engine.version} at ${engine.servers}, ${connection}`],
    ['tenant', tenant],
    ['workers', formatNodes(workers)],
    ['fronts', formatNodes(fronts)],
    ['places', `${places.free} of ${places.total} free`],
    ['waiting', formatPlural(waiting, 'call')],
    ...streams.map(({ name, messages, bytes }) => [
      `stream ${name}`,
      `${formatPlural(messages, 'message')}, ${formatSize(bytes)}`,
    ]),
  ].map((row) => row.map(toPrintable))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan] }))
  noteUnreadable(context, unreadable)
  if (!problem) return
  context.note(toPrintable(problem.message))
  if (problem.hint !== null) context.note(`  → ${toPrintable(problem.hint)}`)
}

function formatNodes({ total, draining }: FleetStatus['workers']): string {
  return draining === 0 ? String(total) : `${total}, of which ${draining} draining`
}
