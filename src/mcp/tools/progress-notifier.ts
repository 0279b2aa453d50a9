import type { ServerContext } from '@modelcontextprotocol/server'
import type { ProgressReport } from '../../core/runs/run-call.ts'
import type { ToolCallEvent } from '../../rpc/tool-caller.ts'
import { batchLogs, type LogData } from './batch-logs.ts'
import { ProgressScale } from './progress-scale.ts'

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
