import type { FleetNode } from '../../../core/fleet-report.ts'

/** A node that is heard this much later than others is silent. */
const SILENT_MS = 5000

/** The state of a node, with the name of its mark, see `Status`. */
export function describeNodeState(
  node: Pick<FleetNode, 'draining' | 'heard_at'>,
  all: readonly Pick<FleetNode, 'heard_at'>[],
): { value: string; text: string } {
  // The clock of this browser may differ from that of the server.
  const newest = Math.max(...all.map(({ heard_at: at }) => Date.parse(at)))
  if (newest - Date.parse(node.heard_at) > SILENT_MS) return { value: 'failed', text: 'silent' }
  return node.draining ? { value: 'warning', text: 'draining' } : { value: 'ok', text: 'ready' }
}

/** Messages and bytes of all streams. */
export function sumStreams(streams: readonly { messages: number; bytes: number }[]): {
  messages: number
  bytes: number
} {
  return {
    messages: streams.reduce((sum, { messages }) => sum + messages, 0),
    bytes: streams.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
