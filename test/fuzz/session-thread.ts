import { parentPort, workerData } from 'node:worker_threads'
import { CurrentInput } from './engine/current-input.ts'
import { FuzzSession } from './engine/session.ts'
import { findTarget } from './targets/index.ts'

/** Parameters of one session, as passed to its thread. */
export interface WorkerRequest {
  name: string
  isPlanted: boolean
  corpus: readonly Uint8Array[]
  seed: number
  seconds: number
  memory: SharedArrayBuffer
}

const { name, corpus, memory, ...rest } = workerData as WorkerRequest
const report = await FuzzSession.run({
  ...rest,
  target: await findTarget(name),
  corpus: corpus.map((each) => Buffer.from(each)),
  current: new CurrentInput(memory),
})
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(report)
// Sockets and timers of the code under test must not keep the thread alive.
process.exit()
