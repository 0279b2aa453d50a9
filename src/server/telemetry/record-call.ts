import type { ErrorCode, SkillsError } from '../../errors.ts'
import type { RequestLogLevel } from './request-log.ts'
import { readSkillName, type CallFacts } from '../rpc/call-facts.ts'
import { buildOperatorMessage } from './operator-message.ts'
import type { ServerContext } from '../server-context.ts'
import { readTraceparent } from './trace-context.ts'

/** Records a call: a log line, metrics and a span. */
export function recordCall(context: ServerContext, facts: CallFacts): void {
  const { call, startedAt, error } = facts
  const ms = performance.now() - startedAt
  const method = call.method?.name ?? (call.name === 'rpc.discover' ? call.name : 'unknown')
  const code = error?.outcome.rpc ?? 0
  context.metrics.count('skills_rpc_calls_total', { method, code: String(code) })
  context.metrics.observe('skills_rpc_duration_seconds', { method }, ms / 1000)
  countRun(context, facts)
  context.log.write(chooseCallLogLevel(error), call.name.slice(0, 100), {
    rpc_id: call.id === undefined ? undefined : String(call.id).slice(0, 100),
    code,
    error: error?.code,
    reason: error && buildOperatorMessage(error),
    status: facts.status,
    run_id: facts.runId,
    skill: readSkillName(call),
    caller: facts.request.caller.name,
    trace_id: readTraceparent(facts.request.traceparent)?.traceId,
    ms: Math.round(ms * 10) / 10,
  })
  context.spans?.add({ ...facts, method, ms })
}

/** Records a message that is not a valid call. It has no method to label it with. */
export function recordRefused(context: ServerContext, caller: string, error: SkillsError): void {
  const code = error.outcome.rpc
  context.metrics.count('skills_rpc_calls_total', { method: 'unknown', code: String(code) })
  context.log.write('warn', 'invalid message', {
    code,
    error: error.code,
    reason: buildOperatorMessage(error),
    caller,
  })
}

const CANCELLED_CODES: ReadonlySet<ErrorCode> = new Set(['run/cancelled', 'run/interrupted'])

/**
 * Counts runs that started. Runs refused by a full queue have a counter of their own; invalid
 * requests are not counted.
 */
function countRun(
  context: ServerContext,
  { call, request: { caller }, status, error }: CallFacts,
): void {
  const { metrics } = context
  if (error?.code === 'run/busy') {
    metrics.count('skills_runs_refused_total', { caller: context.callerLabel(caller.name) })
  }
  if (call.method?.effect !== 'run') return
  const ended = status ?? (error && CANCELLED_CODES.has(error.code) ? 'cancelled' : undefined)
  if (ended === undefined) return
  metrics.count('skills_runs_total', {
    status: ended,
    skill: context.skillLabel(readSkillName(call) ?? ''),
  })
}

function chooseCallLogLevel(error: SkillsError | undefined): RequestLogLevel {
  if (!error) return 'info'
  return error.outcome.http >= 500 && error.code !== 'run/busy' ? 'error' : 'warn'
}
