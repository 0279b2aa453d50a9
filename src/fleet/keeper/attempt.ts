import { WorkStoppedError, type WorkPermit } from './term.ts'

/** Permission for the attempts of one job, which ends with the term of the keeper or with a failure. */
export class AttemptPermit implements WorkPermit {
  readonly signal: AbortSignal
  #term: WorkPermit
  #ended = new AbortController()

  constructor(term: WorkPermit) {
    this.#term = term
    this.signal = AbortSignal.any([term.signal, this.#ended.signal])
  }

  check(): void {
    this.#term.check()
    if (this.signal.aborted) throw new WorkStoppedError('The job was given up')
  }

  end(): void {
    this.#ended.abort()
  }
}

/** Waits for work for a limited time. Throws when the time or the permit ends. */
export async function waitBounded<T>(
  permit: WorkPermit,
  maxMs: number,
  work: Promise<T>,
): Promise<T> {
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    const seconds = Math.round(maxMs / 1000)
    const timeout = () => reject(new Error(`it did not end within ${seconds} seconds`))
    const timer = setTimeout(timeout, maxMs)
    const onAbort = () => reject(new WorkStoppedError('The job was stopped'))
    permit.signal.addEventListener('abort', onAbort)
    if (permit.signal.aborted) onAbort()
    stop = () => {
      clearTimeout(timer)
      permit.signal.removeEventListener('abort', onAbort)
    }
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, stopped])
  } finally {
    stop()
  }
}
