import type { Engine } from '../../fleet/engine/engine.ts'
import { HEARTBEAT_MS, type NodeState } from '../../fleet/messages/node-state.ts'
import { parseNodeState } from '../../fleet/messages/parse-node-state.ts'
import { LOST_AFTER_MS } from '../../fleet/node/silence.ts'
import { untilAborted } from './until-aborted.ts'

export interface WatchedNode {
  engine: Engine
  /** As the node was heard before. */
  first: NodeState
  signal: AbortSignal
}

/** Calls the function with each state of a node, until it returns true or the node is gone. */
export async function watchNode(
  { engine, first, signal }: WatchedNode,
  isDone: (state: NodeState) => boolean,
): Promise<'done' | 'gone'> {
  let heardAt = performance.now()
  let end = () => {}
  const outcome = new Promise<'done' | 'gone'>((resolve) => {
    const subject = `hb.${first.role === 'worker' ? 'w' : 'f'}.${first.node}`
    const unsubscribe = engine.subscribe(subject, (message) => {
      const state = parseNodeState(message.subject, message.body)
      if (!state) return
      heardAt = performance.now()
      // A node that was started again is another one.
      if (state.start !== first.start) resolve('gone')
      else if (isDone(state)) resolve('done')
    })
    const timer = setInterval(() => {
      const { isSteady, backAt } = engine.health
      // While the engine is away, no node can be heard.
      const silentMs = performance.now() - Math.max(heardAt, backAt)
      if (isSteady && silentMs > LOST_AFTER_MS) resolve('gone')
    }, HEARTBEAT_MS)
    end = () => {
      clearInterval(timer)
      unsubscribe()
    }
  })
  try {
    return await untilAborted(signal, outcome)
  } finally {
    end()
  }
}
