import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import {
  openEngine,
  type EngineOptions,
  type NatsEngine,
} from '../../../src/fleet/engine/open-engine.ts'
import type { Worker } from '../../../src/fleet/worker/worker.ts'
import type { ThreadAnswer } from './stub-workers.ts'
import { openBenchWorker } from './stub-worker.ts'

/** A thread with all stub workers: its event loop is not that of the front, as on another machine. */
function serveStubWorkers(port: MessagePort, options: Omit<EngineOptions, 'name'>): void {
  const opened: { engine: NatsEngine; worker: Worker }[] = []
  const resize = async (count: number): Promise<void> => {
    while (opened.length < count) {
      const name = `stub-${opened.length + 1}`
      const engine = await openEngine({ ...options, name })
      opened.push({ engine, worker: openBenchWorker(engine, name) })
    }
    for (const { engine, worker } of opened.splice(count)) {
      worker.stop()
      await engine.close()
    }
  }
  const answer = (message: ThreadAnswer) => port.postMessage(message)
  port.on('message', (count: number) => {
    void resize(count).then(
      () => answer({ count }),
      (error: unknown) => answer({ failure: (error as Error).message }),
    )
  })
}

if (parentPort) serveStubWorkers(parentPort, workerData as Omit<EngineOptions, 'name'>)
