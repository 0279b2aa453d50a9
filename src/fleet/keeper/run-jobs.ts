import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine/engine.ts'
import { guardEngine } from './guarded-engine.ts'
import { WorkStoppedError, type Term, type WorkPermit } from './term.ts'

/** Regular work of a keeper. */
export interface KeeperJob {
  /** For messages: "Removing expired runs". */
  title: string
  /** Time from the begin of the term to the first attempt. */
  firstMs: number
  /** Time from one success to the next attempt. */
  everyMs: number
  /** Time from a failure to the next attempt. */
  retryMs: number
  /** Limit of one attempt. */
  maxMs: number
  /** `engine` refuses all operations once the keeper must not work. It is another one after a failure. */
  run(engine: Engine): Promise<unknown>
}

/** Called with each failure of a job. */
export type OnJobProblem = (title: string, error: unknown) => void

interface ScheduledJob {
  job: KeeperJob
  /** On the clock of `performance.now()`. */
  dueAt: number
  permit: AttemptPermit
  engine: Engine
}

/** Runs jobs one after the other until the term ends. */
export async function runJobs(
  { engine, term, onProblem }: { engine: Engine; term: Term; onProblem: OnJobProblem },
  jobs: readonly KeeperJob[],
): Promise<void> {
  const open = () => {
    const permit = new AttemptPermit(term)
    return { permit, engine: guardEngine(engine, permit) }
  }
  const startedAt = performance.now()
  const scheduled = jobs.map((job): ScheduledJob => ({
    job,
    dueAt: startedAt + job.firstMs,
    ...open(),
  }))
  while (term.isHeld) {
    const [next] = scheduled.toSorted((a, b) => a.dueAt - b.dueAt)
    if (!next || !(await waitUntil(next.dueAt, term))) return
    try {
      await runOnce(next)
      next.dueAt = performance.now() + next.job.everyMs
    } catch (error) {
      // Calls of this attempt that still run must not continue beside the next one.
      next.permit.end()
      if (!term.isHeld) return
      if (!(error instanceof WorkStoppedError)) onProblem(next.job.title, error)
      Object.assign(next, { ...open(), dueAt: performance.now() + next.job.retryMs })
    }
  }
}

async function runOnce({ job, engine, permit }: ScheduledJob): Promise<void> {
  permit.check()
  await waitBounded(permit, job.maxMs, job.run(engine))
}

/** False if the term ended meanwhile. */
async function waitUntil(at: number, { signal }: Term): Promise<boolean> {
  const ms = Math.max(0, at - performance.now())
  return await sleep(ms, true, { signal }).catch(() => false)
}

/** Permission for the attempts of one job, which ends with the term of the keeper or with a failure. */
class AttemptPermit implements WorkPermit {
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
async function waitBounded<T>(permit: WorkPermit, maxMs: number, work: Promise<T>): Promise<T> {
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
