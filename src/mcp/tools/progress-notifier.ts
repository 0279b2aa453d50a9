import type { ServerContext } from '@modelcontextprotocol/server'
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
const TOTAL_STEPS = 4
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
  let step = -1
  let heartbeats = 0
  const send = (work: Promise<unknown>) => {
    const settled = work.catch(() => {}).finally(() => sending.delete(settled))
    sending.add(settled)
    return settled
  }
  const progress = (value: number, message: string) => {
    if (progressToken === undefined || signal.aborted) return
    const params = { progressToken, progress: value, total: TOTAL_STEPS, message }
    void send(notify({ method: 'notifications/progress', params }))
  }
  const logs = batchLogs(async ({ level, logger, text }) => {
    if (!signal.aborted) await send(ctx.mcpReq.log(level, text, logger))
  })
  const enter = (state: string) => {
    const next = STEPS[state] ?? -1
    if (next <= step) return
    step = next
    progress(step, state)
    clearInterval(heartbeat)
    const startedAt = performance.now()
    heartbeats = 0
    heartbeat = setInterval(() => {
      heartbeats += 1
      // Approaches the value of the next state without reaching it.
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      progress(step + heartbeats / (heartbeats + 1), `${state}, ${seconds} s`)
    }, HEARTBEAT_MS)
  }
  return {
    onEvent({ name, data }) {
      if (name === 'state') enter((data as { state: string }).state)
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
