import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { cancelledError, SkillsError, type ErrorCode } from '../../errors.ts'
import { FairTaskQueue } from './fair-task-queue.ts'
import type { OffloadedTasks, TaskAnswer, TaskName, TaskRequest } from './tasks.ts'

const IS_SOURCE = import.meta.url.endsWith('.ts')
const FILE = new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url)
/** In the sources, a script that loads a compiler first: threads do not inherit that of their parent. */
const SCRIPT = IS_SOURCE
  ? `import('${import.meta.resolve('tsx/esm/api')}').then(({ register }) => (register(), import('${FILE.href}')))`
  : fileURLToPath(FILE)
/** Time after which a thread without tasks ends. */
const IDLE_MS = 30_000
const HEAP = { maxOldGenerationSizeMb: 512 }
/** Time for the modules of a task, on a busy machine. */
const LOADING_MS = 60_000

interface OffloadOptions {
  /** Milliseconds for the task itself, without its time in the queue. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Key of the caller; undefined for the local user. */
  principal?: string | undefined
}

interface RunningTask {
  id: number
  begin: () => void
  done: (output: unknown) => void
  fail: (error: unknown) => void
}

/** One thread for tasks of one runtime. It starts with the first task, and again after a task that it did not survive. */
export class Offloader {
  #worker: Worker | undefined
  #running: RunningTask | undefined
  #idle: NodeJS.Timeout | undefined
  #count = 0
  /** True while a task runs, or is about to. */
  #isOccupied = false
  readonly #queue = new FairTaskQueue<() => void>()

  /**
   * Performs a task when it is its caller's turn. Throws `run/busy` if too many wait. A task whose
   * caller has left no longer waits.
   */
  async perform<Name extends TaskName>(
    name: Name,
    input: OffloadedTasks[Name]['input'],
    options: OffloadOptions,
  ): Promise<OffloadedTasks[Name]['output']> {
    if (options.signal?.aborted) throw cancelledError()
    if (this.#isOccupied) await this.#waitForTurn(options)
    this.#isOccupied = true
    try {
      return (await this.#run(name, input, options)) as OffloadedTasks[Name]['output']
    } finally {
      const start = this.#queue.take()
      if (start) start()
      else this.#isOccupied = false
    }
  }

  async #waitForTurn({ signal, principal }: OffloadOptions): Promise<void> {
    await new Promise<void>((done, fail) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        done()
      }
      const leave = () => {
        this.#queue.remove(principal, start)
        fail(cancelledError())
      }
      this.#queue.add(principal, start)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  async #run(
    name: TaskName,
    input: TaskRequest['input'],
    options: OffloadOptions,
  ): Promise<unknown> {
    if (options.signal?.aborted) throw cancelledError()
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#count
    let timer: NodeJS.Timeout | undefined
    const onAbort = () => this.#end(cancelledError())
    options.signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<unknown>((done, fail) => {
        const limit = (ms: number) => {
          clearTimeout(timer)
          timer = setTimeout(() => this.#end(timeoutError(ms)), ms)
        }
        this.#running = { id, begin: () => limit(options.timeoutMs), done, fail }
        limit(LOADING_MS)
        // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage({ id, name, input } satisfies TaskRequest)
      })
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      this.#running = undefined
      this.#idle = setTimeout(() => void this.stop(), IDLE_MS).unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(SCRIPT, { eval: IS_SOURCE, resourceLimits: HEAP })
    worker.unref()
    worker.on('message', (answer: TaskAnswer) => this.#settle(answer))
    worker.on('error', (error) => this.#lose(worker, crashError(error)))
    worker.on('exit', () => this.#lose(worker, crashError(undefined)))
    return worker
  }

  #settle(answer: TaskAnswer): void {
    const running = this.#running
    if (running?.id !== answer.id) return
    if ('isLoaded' in answer) running.begin()
    else if ('output' in answer) running.done(answer.output)
    else {
      const { code, message, hint } = answer.error
      running.fail(new SkillsError(code as ErrorCode, message, hint === undefined ? {} : { hint }))
    }
  }

  /** Ends a task together with its thread, since nothing else ends a computation. */
  #end(error: SkillsError): void {
    const worker = this.#worker
    this.#worker = undefined
    this.#running?.fail(error)
    void worker?.terminate()
  }

  #lose(worker: Worker, error: SkillsError): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#running?.fail(error)
  }
}

function timeoutError(ms: number): SkillsError {
  return new SkillsError('file/unreadable', `Reading the files takes longer than ${ms / 1000} s`, {
    hint: 'Simplify its text: deeply nested lists and long lines of markup take long',
  })
}

function crashError(cause: unknown): SkillsError {
  return new SkillsError('internal/unexpected', 'The thread that reads skills ended', { cause })
}
