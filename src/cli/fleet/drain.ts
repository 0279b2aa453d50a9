import { SkillsError } from '../../errors.ts'
import { NoReceiverError } from '../../fleet/engine/engine.ts'
import { decodeMessage, encodeMessage } from '../../fleet/messages/encoding.ts'
import type { NodeState } from '../../fleet/messages/node-state.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatPlural } from '../../util/quantity.ts'
import { findNode } from './find-node.ts'
import { isCount } from '../../fleet/messages/parse-node-state.ts'
import { useFleetEngine, type OpenFleet } from './open-fleet.ts'
import { watchNode } from './watch-node.ts'

const ANSWER_MS = 5000

/** The result as in JSON. */
interface DrainRecord {
  node: string
  role: NodeState['role']
  /** `gone`: it is not heard any more, or was started again. */
  state: 'draining' | 'drained' | 'gone'
  /** Runs in progress, as last heard. */
  running: number
}

/** `skills fleet drain`: the node accepts no more calls, and ends those that it has. */
export async function drainNode(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async (fleet) => {
    const node = await findNode(context, call, fleet)
    const running = await requestDrain(fleet, node)
    const isWaiting = call.options['wait'] !== false
    const begun: DrainRecord = { node: node.node, role: node.role, state: 'draining', running }
    const record = isWaiting ? await waitUntilDrained(context, fleet, { node, begun }) : begun
    if (context.global.json) context.document('skills.fleet-drain/v1', record)
    else printDrain(context, record)
    return 0
  })
}

/** Returns the number of runs in progress. */
async function requestDrain({ engine }: OpenFleet, { role, node, running }: NodeState) {
  const subject = `${role === 'worker' ? 'w' : 'f'}.${node}.ctl`
  try {
    const answer = await engine.request(subject, encodeMessage({ op: 'drain' }), ANSWER_MS)
    const message: { running?: unknown } | undefined = decodeMessage(answer)
    return isCount(message?.running) ? message.running : running
  } catch (cause) {
    const isUnheard = cause instanceof NoReceiverError
    const message = isUnheard
      ? `The ${role} "${node}" does not take requests`
      : `The ${role} "${node}" did not answer`
    throw new SkillsError('fleet/unavailable', message, {
      hint: isUnheard
        ? 'It may have ended: type "skills fleet nodes" to see the nodes'
        : 'It may drain nevertheless: type "skills fleet nodes" to see its state',
      cause,
    })
  }
}

async function waitUntilDrained(
  context: Context,
  { engine }: OpenFleet,
  { node, begun }: { node: NodeState; begun: DrainRecord },
): Promise<DrainRecord> {
  let { running } = begun
  const showProgress = (count: number) => {
    if (count > 0) context.note(`Draining "${begun.node}": ${formatPlural(count, 'run')} left`)
  }
  showProgress(running)
  const watched = { engine, first: node, signal: context.signal }
  const outcome = await watchNode(watched, (state) => {
    const left = state.running + state.waiting
    if (left !== running) showProgress(left)
    running = left
    return state.isDraining && left === 0
  })
  return { ...begun, state: outcome === 'done' ? 'drained' : 'gone', running }
}

function printDrain(context: Context, { node, role, state, running }: DrainRecord): void {
  const { style } = context
  context.print(
    `${state === 'draining' ? style.yellow(state) : style.green(state)} ${role} ${node}`,
  )
  if (state === 'draining') context.note(`${formatPlural(running, 'run')} in progress`)
  if (state !== 'gone') return
  const runs = running === 0 ? '' : `; it had ${formatPlural(running, 'run')} before`
  context.note(`The node is not heard any more, or was started again${runs}`)
}
