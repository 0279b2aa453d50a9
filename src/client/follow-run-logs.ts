import type {
  ReadRunLogsParams,
  ReadRunLogsResult,
} from '../core/methods/read-run-logs/definition.ts'
import type { CallOptions } from './options.ts'

/** Pause after an answer without logs. */
const PAUSE_MS = 500

/** Reads the logs of a run from a byte offset until it ends. */
export async function* followRunLogs(
  read: (params: ReadRunLogsParams, options: CallOptions) => Promise<ReadRunLogsResult>,
  runId: string,
  { offset = 0, ...options }: CallOptions & { offset?: number },
): AsyncGenerator<ReadRunLogsResult, void, undefined> {
  for (let next = offset; ;) {
    const part = await read({ run_id: runId, offset: next }, options)
    if (part.logs !== '') yield part
    next = part.next_offset
    if (!part.more) return
    if (part.logs === '') await pause(options.signal)
  }
}

/** Ends early when the signal aborts; the next call throws its reason. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(stop, PAUSE_MS)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
