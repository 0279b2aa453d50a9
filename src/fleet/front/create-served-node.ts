import type { ServedNode } from '../../server/served-node.ts'
import type { CallAnswer } from '../messages/call-messages.ts'
import type { Objects } from '../objects/objects.ts'
import { findForeignRun } from './find-foreign-run.ts'
import type { FrontMetrics } from './front-metrics.ts'
import { resolveAnswer } from './resolve-answer.ts'
import type { WatchServices } from './watch-run.ts'

interface ServedNodeOptions extends Omit<WatchServices, 'readAnswer'> {
  objects: Objects
  metrics: FrontMetrics
  isDraining: () => boolean
}

/** Describes a front to its server. */
export function createServedNode(options: ServedNodeOptions): ServedNode {
  const { engine, objects, metrics, isDraining } = options
  const readAnswer = async (answer: CallAnswer) => await resolveAnswer(objects, answer)
  return {
    findProblem() {
      if (isDraining()) return 'the node drains'
      return engine.health.awayMs === 0 ? undefined : 'the engine of the fleet does not answer'
    },
    renderMetrics: async () => await metrics.render(),
    findRun: async (id) => await findForeignRun({ ...options, readAnswer }, id),
  }
}
