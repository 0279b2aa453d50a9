import { Worker as Thread } from 'node:worker_threads'
import type { EngineOptions } from '../../../src/fleet/engine/open-engine.ts'

const FILE = new URL('./stub-thread.ts', import.meta.url)
/** Loads a compiler first: threads do not inherit that of their parent. */
const SCRIPT = `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => (register(), import('${FILE.href}')))`

/** Answer of the thread to a number of workers. */
export type ThreadAnswer = { count: number } | { failure: string }

/** The stub workers of a benchmark, in a thread that ends with this process. */
export class StubWorkers {
  #thread: Thread

  constructor(options: Omit<EngineOptions, 'name'>) {
    this.#thread = new Thread(SCRIPT, { eval: true, workerData: options, execArgv: [] })
  }

  /** Starts workers, or stops some, until there are as many. */
  async resize(count: number): Promise<void> {
    const answer = await this.#ask(count)
    if ('failure' in answer) throw new Error(`Stub workers did not start: ${answer.failure}`)
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }

  async #ask(count: number): Promise<ThreadAnswer> {
    let forget = () => {}
    try {
      return await new Promise<ThreadAnswer>((resolve) => {
        const onError = ({ message }: Error) => resolve({ failure: message })
        const onExit = () => resolve({ failure: 'their thread ended' })
        forget = () => {
          this.#thread.off('message', resolve).off('error', onError).off('exit', onExit)
        }
        this.#thread.on('message', resolve).on('error', onError).on('exit', onExit)
        // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        this.#thread.postMessage(count)
      })
    } finally {
      forget()
    }
  }
}
