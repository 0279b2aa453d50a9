import type { RpcCall } from '../../rpc/rpc.ts'
import { getPrincipal, type Caller } from '../auth/caller.ts'
import { readSkillName } from '../rpc/call-facts.ts'
import type { LiveRun } from '../runs/live-run.ts'
import type { ConsoleEvents } from './console-events.ts'

/** Reports each new state of a run to the console, until its end. */
export function reportRunChanges(
  consoleEvents: ConsoleEvents,
  live: Pick<LiveRun, 'id' | 'subscribe'>,
  { caller, call }: { caller: Caller; call: RpcCall },
): void {
  const skill = readSkillName(call)
  const facts = {
    method: call.method?.name ?? call.name,
    ...(skill !== undefined && { skill }),
    caller: caller.name,
  }
  live.subscribe(({ name, data }) => {
    if (name !== 'state' && name !== 'end') return
    const { state = 'ended', status } = data as { state?: string; status?: string }
    const change = { run_id: live.id, state, ...(status !== undefined && { status }), ...facts }
    consoleEvents.reportRun(getPrincipal(caller), { ...change, at: new Date().toISOString() })
  })
}
