import type { Isolation } from '../../core/sandbox/isolation.ts'
import type { RunCall, RunEvent } from '../../core/runs/run-call.ts'
import { startPhaseClock, type CallTimes, type RunPhase } from '../../core/runs/run-phases.ts'
import { SkillsError, toSkillsError, type ErrorCode } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpc.ts'
import { type Caller, getPrincipal } from '../auth/caller.ts'
import { type CallFacts, type RequestFacts, readSkillName } from '../rpc/call-facts.ts'
import type { ServerContext } from '../server-context.ts'
import type { LiveRun } from './live-run.ts'
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
  const { caller, onEvent, traceparent } = request
  context.quotas.requireForRun(caller)
  const cancelling = new AbortController()
  const live = context.runs.start(caller, readRunName(call.params), () => cancelling.abort())
  const linked = linkSignals([request.signal(), context.closing, cancelling.signal])
  if (facts) facts.runId = live.id
  reportRunChanges(context.consoleEvents, live, { caller, call })
  const unfollow = onEvent ? live.subscribe(onEvent) : () => {}
  let status = 'failed'
  let hasNoRun = false
  const detached = followDetached(context, call, live)
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
        traceparent,
        onAdmitted: onTurn,
        times,
        onPhase: (name) => clock.enter(name),
        ...detached.io,
        onCpuTime: (ms) => context.quotas.charge(caller, 'cpuMs', ms),
        onIsolated: (isolation) => countIsolationPath(context, isolation),
        onEvent: (event) => publishEvent(context, { caller, live }, event),
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
    detached.endCall(status)
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

/** Counts the blobs of a run for its caller. */
function publishEvent(
  { quotas }: ServerContext,
  { caller, live }: { caller: Caller; live: { publish(event: RunEvent): void } },
  event: RunEvent,
): void {
  if (event.type === 'blob') quotas.charge(caller, 'blobBytes', event.blob.size)
  live.publish(event)
}

/** Events of a detached run continue until it ends, not until its call does. */
function followDetached(
  { closing }: ServerContext,
  { method }: RpcCall,
  live: { end(status: string): void },
) {
  let isDetached = false
  const io: Pick<RunCall, 'closing' | 'onDetached' | 'onDetachedEnd'> = {
    closing,
    onDetached: () => void (isDetached = true),
    onDetachedEnd: (value) =>
      live.end((value === undefined ? undefined : method?.outcome?.(value)) ?? 'failed'),
  }
  const endCall = (status: string) => {
    if (!isDetached) live.end(status)
  }
  return { io, endCall }
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
