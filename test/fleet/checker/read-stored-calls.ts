import type { Engine, StoredMessage } from '../../../src/fleet/engine/engine.ts'
import type { Fence } from '../../../src/fleet/messages/call-messages.ts'
import { decodeMessage } from '../../../src/fleet/messages/encoding.ts'
import type { CallEnd } from '../../../src/fleet/records/run-end.ts'

interface MutableStoredCall {
  fences: Map<number, Fence>
  end?: CallEnd
  late?: CallEnd
}

/** Reads the fences and ends of all calls. */
export async function readStoredCalls(engine: Engine): Promise<Map<string, MutableStoredCall>> {
  const calls = new Map<string, MutableStoredCall>()
  const find = (id: string) => {
    const call = calls.get(id) ?? { fences: new Map<number, Fence>() }
    calls.set(id, call)
    return call
  }
  for await (const message of engine.list('calls', 'c.>')) {
    const [, id = '', attempt = ''] = message.subject.split('.')
    find(id).fences.set(Number(attempt), decode(message) as Fence)
  }
  for await (const message of engine.list('runs', 'r.>')) {
    const [, id = '', part = ''] = message.subject.split('.')
    if (part === 'end' || part === 'late') find(id)[part] = decode(message) as CallEnd
  }
  return calls
}

function decode({ subject, body }: StoredMessage): object {
  const value = decodeMessage(body)
  if (!value) throw new Error(`"${subject}" is damaged`)
  return value
}
