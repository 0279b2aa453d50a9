import type { ServedNode } from '../../server/served-node.ts'
import type { CallAnswer } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Objects } from '../objects/objects.ts'
import { findForeignRun } from './find-foreign-run.ts'
import type { FrontMetrics } from './front-metrics.ts'
import { resolveAnswer } from './resolve-answer.ts'
import type { WatchServices } from './watch-run.ts'

interface ServedNodeOptions extends Omit<WatchServices, 'readAnswer'> {
  objects: Objects
  metrics: FrontMetrics
  isDraining: () => boolean
  identity: NodeIdentity
  sessions: Pick<ServedNode, 'forward' | 'receive' | 'finish'>
}

/** Describes a front to its server. */
export function createServedNode(options: ServedNodeOptions): ServedNode {
  const { engine, objects, metrics, isDraining, identity, sessions } = options
  const readAnswer = async (answer: CallAnswer) => await resolveAnswer(objects, answer)
  return {
    name: identity.name,
    forward: async (request) => await sessions.forward(request),
    receive: (serve) => sessions.receive(serve),
    finish: async (timeoutMs) => await sessions.finish(timeoutMs),
    findProblem() {
      if (isDraining()) return 'the node drains'
      return engine.health.awayMs === 0 ? undefined : 'the engine of the fleet does not answer'
    },
    renderMetrics: async () => await metrics.render(),
    findRun: async (id) => await findForeignRun({ ...options, readAnswer }, id),
  }
}
