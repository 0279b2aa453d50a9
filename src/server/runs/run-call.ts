import type { Isolation } from '../../core/sandbox/isolation.ts'
import { isStreamedEvent, type RunCall, type RunEvent } from '../../core/runs/run-call.ts'
import { startPhaseClock, type CallTimes, type RunPhase } from '../../core/runs/run-phases.ts'
import { SkillsError, toSkillsError, type ErrorCode } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpc.ts'
import { type Caller, getPrincipal } from '../auth/caller.ts'
import { type CallFacts, type RequestFacts, readSkillName } from '../rpc/call-facts.ts'
import type { ServerContext } from '../server-context.ts'
import type { LiveRun, LiveRunWriter } from './live-run.ts'
import type { ConsoleEvents } from '../console/console-events.ts'
import { setMaxListeners } from 'node:events'

interface RunCallRequest {
  call: RpcCall
  request: RequestFacts
  /** Context of every call of the request. */
  common: RunCall
  facts: CallFacts | undefined
}

/** Calls that a refused run counts for, because its refusal is audited. */
const REFUSAL_CALLS = 10

/** Assigns a run its id and its position in the queue, and publishes its events. */
export async function performRunCall(
  context: ServerContext,
  { call, request, common, facts }: RunCallRequest,
  work: (call: RunCall) => Promise<unknown>,
): Promise<unknown> {
  const { caller, onEvent } = request
  context.quotas.requireForRun(caller)
  const cancelling = new AbortController()
  const live = context.runs.start(caller, readRunName(call.params), () => cancelling.abort())
  const linked = linkSignals([request.signal(), context.closing, cancelling.signal])
  if (facts) facts.runId = live.id
  reportRunChanges(context.consoleEvents, live, { caller, call })
  const unfollow = onEvent ? live.subscribe(onEvent) : () => {}
  let status = 'failed'
  let hasNoRun = false
  let isDetached = false
  try {
    live.publish({ type: 'state', run_id: live.id, state: 'queued' })
    let startedAt: number | undefined
    const times = readCallTimes(facts)
    const clock = startPhaseClock(times)
    const onTurn = () => {
      context.metrics.observe('skills_run_wait_seconds', {}, secondsSince(facts?.startedAt))
      startedAt ??= performance.now()
    }
    try {
      const result = await work({
        ...common,
        signal: linked.signal,
        runId: live.id,
        times,
        closing: context.closing,
        onEvent: (event) => {
          if (event.type === 'admitted') onTurn()
          else if (event.type === 'phase') clock.enter(event.name)
          else if (event.type === 'detached') isDetached = true
          else receiveEvent(context, { caller, live, call }, event)
        },
      })
      status = call.method?.outcome?.(result) ?? status
      return result
    } finally {
      if (startedAt !== undefined) {
        context.metrics.observe('skills_run_duration_seconds', {}, secondsSince(startedAt))
        recordPhases(context, clock.end(), facts)
      }
    }
  } catch (thrown) {
    const { code } = toSkillsError(thrown)
    chargeRefusal(context, caller, code)
    if (code === 'run/cancelled') status = 'cancelled'
    else hasNoRun = true
    throw explainCancellation(context, request, thrown)
  } finally {
    // Events of a detached run continue until it ends, not until its call does.
    if (!isDetached) live.end(status)
    unfollow()
    // The call started no run, so its id is free again.
    if (hasNoRun) context.runs.remove(live.id)
    linked.release()
  }
}

function readCallTimes(facts: CallFacts | undefined): CallTimes {
  const readAt = performance.now()
  return { receivedAt: facts?.startedAt ?? readAt, readAt }
}

/** Counts what a run uses for its caller, and shows the run to its followers. */
function receiveEvent(
  context: ServerContext,
  { caller, live, call: { method } }: { caller: Caller; live: LiveRunWriter; call: RpcCall },
  event: RunEvent,
): void {
  const { quotas } = context
  if (event.type === 'cpu') quotas.charge(caller, 'cpuMs', event.ms)
  else if (event.type === 'blob') quotas.charge(caller, 'blobBytes', event.blob.size)
  else if (event.type === 'isolated') countIsolationPath(context, event.isolation)
  else if (event.type === 'ended') {
    live.end((event.result === undefined ? undefined : method?.outcome?.(event.result)) ?? 'failed')
  }
  if (isStreamedEvent(event)) live.publish(event)
}

function isCancellation(thrown: unknown): boolean {
  return toSkillsError(thrown).code === 'run/cancelled'
}

/**
 * If the shutdown ended the run, and not its caller, returns the error that says so. Clients do not
 * repeat the call by themselves, because its code has run partly.
 */
function explainCancellation(
  { closing }: ServerContext,
  request: RequestFacts,
  thrown: unknown,
): unknown {
  const isByCaller = request.signal().aborted
  if (!isCancellation(thrown) || !closing.aborted || isByCaller) return thrown
  return new SkillsError('run/interrupted', 'The runtime shut down before the run ended', {
    hint: 'Repeat the call when the runtime is up again',
  })
}

/** A caller that does not wait after a refusal would keep the server busy with refusals. */
function chargeRefusal({ rateLimiter }: ServerContext, caller: Caller, code: ErrorCode): void {
  if (code === 'run/busy') rateLimiter.charge(caller, REFUSAL_CALLS)
}

function recordPhases(
  { metrics }: ServerContext,
  phases: readonly RunPhase[],
  facts: CallFacts | undefined,
): void {
  for (const { name, ms } of phases) {
    metrics.observe('skills_run_stage_seconds', { stage: name }, ms / 1000)
  }
  if (facts) facts.phases = phases
}

/** Counts every started run, including those whose result does not report the path. */
function countIsolationPath({ metrics }: ServerContext, { path, reason }: Isolation): void {
  metrics.count('skills_runs_by_path_total', { path })
  if (path === 'cold') metrics.count('skills_runs_fallback_total', { reason })
}

function secondsSince(startedAt: number = performance.now()): number {
  return (performance.now() - startedAt) / 1000
}

/** Returns the id that the caller chose for the run, if any. */
function readRunName(params: unknown): string | undefined {
  const { _meta: meta } = (params ?? {}) as { _meta?: unknown }
  const name = (meta as { run_id?: unknown } | null | undefined)?.run_id
  if (name === undefined || name === null) return undefined
  return typeof name === 'string' ? name : JSON.stringify(name)
}

/** Reports each new state of a run to the console, until its end. */
function reportRunChanges(
  consoleEvents: ConsoleEvents,
  live: Pick<LiveRun, 'id' | 'subscribe'>,
  { caller, call }: { caller: Caller; call: RpcCall },
): void {
  const skill = readSkillName(call)
  const facts = {
    method: call.method?.name ?? call.name,
    ...(skill !== undefined && { skill }),
    caller: caller.name,
  }
  live.subscribe(({ name, data }) => {
    if (name !== 'state' && name !== 'end') return
    const { state = 'ended', status } = data as { state?: string; status?: string }
    const change = { run_id: live.id, state, ...(status !== undefined && { status }), ...facts }
    consoleEvents.reportRun(getPrincipal(caller), { ...change, at: new Date().toISOString() })
  })
}

/**
 * Creates a signal that aborts when any of several does. Call `release`, because some of them live
 * much longer.
 */
function linkSignals(signals: readonly AbortSignal[]): {
  signal: AbortSignal
  release(): void
} {
  const controller = new AbortController()
  // A request can be a batch of runs, each of which adds a listener.
  setMaxListeners(0, ...signals)
  const abort = () => controller.abort()
  for (const each of signals) {
    if (each.aborted) abort()
    each.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    release() {
      for (const each of signals) each.removeEventListener('abort', abort)
    },
  }
}
