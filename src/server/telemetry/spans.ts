import { randomBytes } from 'node:crypto'
import type { ExporterConfig } from './exporter-config.ts'
import type { CallOutcome } from '../../core/methods/method.ts'
import { readSkillName, type CallFacts } from '../rpc/call-facts.ts'
import type { RequestLog } from './request-log.ts'
import { readTraceparent } from './trace-context.ts'

type FinishedCall = CallFacts & { method: string; ms: number }

/** Receives finished calls as spans. */
export interface SpanSink {
  add(call: FinishedCall): void
  /** Sends the queued spans. */
  flush(): Promise<void>
}

/** Maximum number of spans queued for a slow collector; further ones are dropped. */
const MAX_QUEUED = 2048
const MAX_BATCH = 512
const FLUSH_MS = 5000

/**
 * Sends spans to a collector by OTLP over HTTP, as JSON. If the collector is unreachable, only
 * spans are lost.
 */
export function createSpanExporter(config: ExporterConfig, log: RequestLog): SpanSink {
  const waiting: object[] = []
  let dropped = 0
  let isReported = false
  let sending = Promise.resolve()
  for (const problem of config.problems) log.write('warn', `${problem}, so it is ignored`)
  const send = async () => {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, MAX_BATCH)
      try {
        await postSpans(config, spans)
        isReported = false
      } catch (error) {
        dropped += spans.length
        // Logs only the first failure, because the collector may be unreachable for hours.
        if (!isReported)
          log.write('warn', 'Spans could not be exported', { dropped, reason: String(error) })
        isReported = true
        return
      }
    }
  }
  const flush = async () => {
    sending = sending.then(send)
    await sending
  }
  setInterval(() => void flush(), FLUSH_MS).unref()
  return {
    add(call) {
      if (readTraceparent(call.request.traceparent)?.sampled === false) return
      if (waiting.length >= MAX_QUEUED) dropped += 1
      else waiting.push(...buildSpans(call))
      if (waiting.length >= MAX_BATCH) void flush()
    },
    flush,
  }
}

async function postSpans(
  { url, headers, resource: facts, timeoutMs }: ExporterConfig,
  spans: readonly object[],
) {
  const attributes = Object.entries(facts).map(([key, value]) => toAttribute(key, value))
  const resource = { attributes }
  const scopeSpans = [{ scope: { name: 'skills-protocol' }, spans }]
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`the collector answered ${response.status}`)
}

/** Builds the span of a call and child spans for the phases of its run. */
function buildSpans(call: FinishedCall): object[] {
  const span = buildCallSpan(call)
  const parts = (call.phases ?? []).map(({ name, startedAt, ms }) => ({
    traceId: span.traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: span.spanId,
    name: `run.${name}`,
    kind: 1,
    ...toUnixNanos(call.wallAt + (startedAt - call.startedAt), ms),
    attributes: [],
    status: {},
  }))
  return [span, ...parts]
}

function toUnixNanos(wallAt: number, ms: number) {
  const start = BigInt(Math.round(wallAt * 1000)) * 1000n
  const end = start + BigInt(Math.round(ms * 1e6))
  return { startTimeUnixNano: String(start), endTimeUnixNano: String(end) }
}

/** OTLP constants: kind 2 is SERVER, kind 1 is INTERNAL, status 2 is ERROR. */
function buildCallSpan(call: FinishedCall) {
  const parent = readTraceparent(call.request.traceparent)
  const { error, runId, status } = call
  const facts: Record<string, string | number | undefined> = {
    'rpc.system': 'jsonrpc',
    'rpc.jsonrpc.version': '2.0',
    'rpc.method': call.method,
    'rpc.jsonrpc.error_code': error?.outcome.rpc,
    'error.type': error?.code,
    'enduser.id': call.request.caller.name,
    'skills.run.id': runId,
    'skills.run.status': status,
    'skills.skill.name': readSkillName(call.call),
  }
  const attributes = Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [toAttribute(key, value)],
  )
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(parent && { parentSpanId: parent.parentId }),
    name: call.method,
    kind: 2,
    ...toUnixNanos(call.wallAt, call.ms),
    attributes,
    status: describeSpanStatus(call),
  }
}

/** Runs that ended with another outcome than a result of the code; a cancelled one is no error. */
const FAILED_RUNS: ReadonlySet<string | undefined> = new Set([
  'failed',
  'failure',
  'timeout',
  'denied',
] satisfies CallOutcome[])

function describeSpanStatus({ error, status }: FinishedCall): { code?: number; message?: string } {
  if (error) return { code: 2, message: error.code }
  return FAILED_RUNS.has(status) ? { code: 2, message: `run ${status}` } : {}
}

function toAttribute(key: string, value: string | number): object {
  return {
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }
}
