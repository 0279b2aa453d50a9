import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatTable } from '../ui/table.ts'
import { hearNodes } from './hear-nodes.ts'
import { toNodeRecord, type NodeRecord } from './node-record.ts'
import { useFleetEngine } from './open-fleet.ts'

/** `skills fleet nodes`. */
export async function listNodes(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async ({ engine }) => {
    const heard = await hearNodes(engine, context.signal)
    const nodes = heard.nodes.map(toNodeRecord)
    if (context.global.json) {
      context.document('skills.fleet-nodes/v1', { nodes, unreadable: heard.unreadable })
      return 0
    }
    if (nodes.length > 0) printNodes(context, nodes)
    else context.note('No node was heard')
    noteUnreadable(context, heard.unreadable)
    return 0
  })
}

/** Tells that some heartbeats were not valid. */
export function noteUnreadable(context: Context, count: number): void {
  if (count === 0) return
  const senders = formatPlural(count, 'sender')
  context.note(`Heartbeats of ${senders} are not valid, or of another version of this program`)
}

function printNodes(context: Context, nodes: readonly NodeRecord[]): void {
  const { style } = context
  const rows = nodes.map((node) => [
    toPrintable(node.name),
    node.role,
    toPrintable(node.version),
    node.places === null ? String(node.running) : `${node.running}/${node.places}`,
    String(node.waiting),
    node.draining ? 'draining' : 'ready',
    toPrintable([...(node.pool === null ? [] : [`pool=${node.pool}`]), ...node.labels].join(' ')),
  ])
  const paintState = (text: string) =>
    text.startsWith('ready') ? style.green(text) : style.yellow(text)
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const table = formatTable(rows, {
    columns,
    head: ['NAME', 'ROLE', 'VERSION', 'RUNNING', 'WAITING', 'STATE', 'LABELS'],
    paintHead: style.dim,
    paint: [style.cyan, undefined, style.dim, undefined, undefined, paintState],
  })
  context.print(table)
}
