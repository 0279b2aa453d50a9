import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CurrentInput } from './engine/current-input.ts'
import type { FuzzReport } from './engine/session.ts'
import type { WorkerRequest } from './session-thread.ts'

/** An input that takes this much processor time hangs; usual ones take under 1 ms. */
const HANG_CPU_MS = 20_000
/** An input that waits for this long, for something that never happens, hangs as well. */
const HANG_MS = 300_000
const POLL_MS = 1000
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 768 }

/** Runs one session in a thread, so that a hang or exhausted memory becomes a finding. */
export async function runTarget(request: Omit<WorkerRequest, 'memory'>): Promise<FuzzReport> {
  const current = new CurrentInput()
  const worker = new Worker(new URL('worker.js', import.meta.url), {
    workerData: { ...request, memory: current.memory } satisfies WorkerRequest,
    resourceLimits: MEMORY_LIMITS,
  })
  const watchdog = watchForHang(worker, current)
  try {
    const [report] = (await Promise.race([once(worker, 'message'), watchdog.hung])) as [FuzzReport]
    const { kept, finding } = report
    return {
      ...report,
      kept: kept.map((each) => Buffer.from(each)),
      finding: finding && { ...finding, input: Buffer.from(finding.input) },
    }
  } catch (error) {
    // Before the first input, the target itself is broken.
    if (current.count === 0) throw error
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const finding = { input: current.get(), message }
    return { executions: current.count, kept: [], covered: 0, finding }
  } finally {
    watchdog.stop()
    await worker.terminate()
  }
}

function watchForHang(worker: Worker, current: CurrentInput) {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    let last = { count: -1, at: 0, cpu: 0 }
    timer = setInterval(() => {
      const now = {
        count: current.count,
        at: performance.now(),
        cpu: process.cpuUsage().user / 1000,
      }
      if (now.count !== last.count) last = now
      else if (now.cpu - last.cpu > HANG_CPU_MS || now.at - last.at > HANG_MS)
        reject(new Error('hangs: it gives no result'))
    }, POLL_MS)
    worker.once('exit', () => reject(new Error('the thread ended without a report')))
  })
  hung.catch(() => {})
  return { hung, stop: () => clearInterval(timer) }
}
