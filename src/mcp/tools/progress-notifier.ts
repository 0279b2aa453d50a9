import type { ServerContext } from '@modelcontextprotocol/server'
import type { ProgressReport } from '../../core/runs/run-call.ts'
import type { ToolCallEvent } from '../../rpc/tool-caller.ts'
import { batchLogs, type LogData } from './batch-logs.ts'

/** Notifies a client of the events of a running tool. */
interface ProgressNotifier {
  onEvent: (event: ToolCallEvent) => void
  /** Sends the remaining notifications; none are sent afterwards. */
  finish(): Promise<void>
}

/** Progress value of each run state. */
const STEPS: Readonly<Record<string, number>> = {
  queued: 0,
  starting: 1,
  running: 2,
  collecting: 3,
  completed: 4,
  failed: 4,
  cancelled: 4,
}
/** Minimum time between notifications about steps of the code. */
const STEP_INTERVAL_MS = 200
/** Prevents clients with an idle timeout from cancelling a silent run. */
const HEARTBEAT_MS = 5000

/**
 * Sends progress if the request has a progress token, and log messages if the client's log level
 * allows them.
 */
export function createProgressNotifier(ctx: ServerContext): ProgressNotifier {
  const { notify, _meta: meta, signal } = ctx.mcpReq
  const progressToken = meta?.progressToken
  const sending = new Set<Promise<unknown>>()
  let heartbeat: NodeJS.Timeout | undefined
  const scale = new ProgressScale()
  let step = -1
  let stepsSentAt = -Infinity
  const send = (work: Promise<unknown>) => {
    const settled = work.catch(() => {}).finally(() => sending.delete(settled))
    sending.add(settled)
    return settled
  }
  const progress = (scaled: ReturnType<ProgressScale['repeat']>, message: string) => {
    if (progressToken === undefined || signal.aborted) return
    const params = { progressToken, ...scaled, message }
    void send(notify({ method: 'notifications/progress', params }))
  }
  const logs = batchLogs(async ({ level, logger, text }) => {
    if (!signal.aborted) await send(ctx.mcpReq.log(level, text, logger))
  })
  const enter = (state: string) => {
    const next = STEPS[state] ?? -1
    if (next <= step) return
    step = next
    progress(scale.enterPhase(step), state)
    clearInterval(heartbeat)
    const startedAt = performance.now()
    heartbeat = setInterval(() => {
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      progress(scale.repeat(), `${state}, ${seconds} s`)
    }, HEARTBEAT_MS)
  }
  const reportSteps = ({ done, total, message }: ProgressReport) => {
    const now = performance.now()
    if (now - stepsSentAt < STEP_INTERVAL_MS && done < total) return
    stepsSentAt = now
    progress(scale.reportSteps(done, total), message ?? `${done} of ${total}`)
  }
  return {
    onEvent({ name, data }) {
      if (name === 'state') enter((data as { state: string }).state)
      else if (name === 'progress') reportSteps(data as ProgressReport)
      else if (name === 'log') logs.add(data as LogData)
      else if (name === 'network') logs.add(toLogData(data as NetworkData))
    },
    async finish() {
      clearInterval(heartbeat)
      await logs.finish()
      await Promise.all(sending)
    },
  }
}

interface NetworkData {
  decision: { allowed: boolean; message: string }
}

function toLogData({ decision: { allowed, message } }: NetworkData): LogData {
  return { stream: 'network', level: allowed ? 'info' : 'warning', text: `${message}\n` }
}

/** A notification of progress; its value is larger than that of all earlier ones. */
interface ScaledProgress {
  progress: number
  total: number
}

/** Relative increase of a notification without a larger value. */
const SMALLEST_STEP = 1e-6
/** Phases that precede and follow the steps of the code. */
const PHASES = 4

/**
 * Computes values for `notifications/progress`, which must increase: first the phases of a run, then
 * the steps that its code reports. A new series of steps continues after the last value.
 */
export class ProgressScale {
  #last = -1
  #total = PHASES
  #base = 0
  #series: { done: number; total: number } | undefined

  /** Enters a phase, of which the last one is PHASES. */
  enterPhase(phase: number): ScaledProgress {
    return this.#advance(this.#total - (PHASES - phase))
  }

  /** Reports a run that continues without news. */
  repeat(): ScaledProgress {
    return this.#advance(this.#last)
  }

  reportSteps(done: number, total: number): ScaledProgress {
    if (total !== this.#series?.total || done < this.#series.done) this.#base = this.#last
    this.#series = { done, total }
    this.#total = this.#base + total + 2
    return this.#advance(this.#base + done)
  }

  #advance(value: number): ScaledProgress {
    const smallest = this.#last + Math.max(1, Math.abs(this.#last)) * SMALLEST_STEP
    this.#last = this.#last === -1 ? value : Math.max(value, smallest)
    this.#total = Math.max(this.#total, this.#last)
    return { progress: this.#last, total: this.#total }
  }
}
