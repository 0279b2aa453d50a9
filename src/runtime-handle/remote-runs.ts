import type { RunStreamEvent } from '../client/events.ts'
import type { RunOptions } from '../client/options.ts'
import type { ExecuteParams } from '../core/methods/runtime-execute/definition.ts'
import type { ExecuteResult } from '../core/programs/execute-result.ts'
import type { RunResult } from '../core/runs/result.ts'
import type { RunEvent } from '../core/runs/run-call.ts'
import type { CallIo } from './handle.ts'
import { createRemoteBlobs } from './remote-blobs.ts'
import type { RemoteContext } from './remote-context.ts'

/** Runs something remotely and reports the same events as a local run. */
export async function runRemotely(
  remote: RemoteContext,
  { signal, onEvent }: CallIo,
  start: (options: RunOptions) => Promise<RunResult>,
): Promise<RunResult> {
  const startedAt = performance.now()
  const seen = new Set<string>()
  let hasLogs = false
  const report = (event: RunEvent) => {
    if (event.type === 'log') hasLogs = true
    if (event.type === 'blob') seen.add(event.blob.id)
    onEvent?.(event)
  }
  const runOptions = {
    signal: signal ?? remote.signal,
    onEvent: (event: RunStreamEvent) => {
      const runEvent = toRunEvent(event)
      if (runEvent) report(runEvent)
    },
  }
  const result = fillDefaults(await remote.explainErrors(start(runOptions)), startedAt)
  // A runtime without event streams reports logs only in its result.
  if (!hasLogs && result.logs_preview !== '') {
    report({ type: 'log', stream: 'stdout', text: result.logs_preview })
  }
  if (!onEvent) return result
  const blobs = createRemoteBlobs(remote)
  for (const id of result.output_blobs) {
    if (!seen.has(id)) onEvent({ type: 'blob', blob: toBlob(await blobs.info(id)) })
  }
  return result
}

/** Runs a program remotely. Its output arrives as text. */
export async function executeRemotely(
  remote: RemoteContext,
  { signal, onEvent }: CallIo,
  params: ExecuteParams,
): Promise<ExecuteResult> {
  let writing: Promise<unknown> = Promise.resolve()
  const receiveEvent = (event: RunStreamEvent) => {
    if (event.type !== 'log' || (event.stream !== 'stdout' && event.stream !== 'stderr')) return
    const { stream, text } = event
    const chunk = Buffer.from(text)
    writing = writing.then(async () => await onEvent?.({ type: 'output', stream, chunk }))
  }
  const runOptions = { signal: signal ?? remote.signal, onEvent: receiveEvent }
  const result = await remote.explainErrors(remote.client.execute(params, runOptions))
  await writing
  return result
}

/** Adds defaults for fields that the protocol does not require. */
function fillDefaults(result: RunResult, startedAt: number): RunResult {
  const defaults = {
    summary: '',
    output_blobs: [],
    logs_preview: '',
    isolation: null,
    duration_ms: Math.round(performance.now() - startedAt),
  }
  const output = result.status === 'completed' ? { output: null } : {}
  const expected = Object.entries({ ...defaults, ...output })
  const missing = expected.filter(([name]) => !Object.hasOwn(result, name))
  return { ...result, ...Object.fromEntries(missing) }
}

function toRunEvent(event: RunStreamEvent): RunEvent | undefined {
  switch (event.type) {
    case 'state':
      return event.state === 'queued' ? undefined : { ...event, state: event.state }
    case 'log':
    case 'progress':
    case 'artifact':
    case 'network':
      return event
    case 'blob':
      return { type: 'blob', blob: toBlob({ ...event, id: event.blob_id, size: event.size_bytes }) }
    case 'dropped': {
      const text = `[… ${event.events} log lines were dropped]\n`
      return { type: 'log', stream: 'runtime', text }
    }
    default:
      return undefined
  }
}

function toBlob({ id, kind, size }: { id: string; kind: string; size: number }) {
  return { id, kind, size, digest: '', createdAt: '' }
}
