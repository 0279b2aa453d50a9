import { SkillsError, toSkillsError } from '../../errors.ts'
import { lazily } from '../../util/lazily.ts'
import { RunningHash } from '../../util/running-hash.ts'
import { checkRunId, newRunId } from './history/run-id.ts'
import type { Services } from '../services.ts'
import type { BlobInfo } from '../storage/blob-store.ts'
import { concludeRun, type Conclusion } from './conclude-run.ts'
import { digestSkills } from './digest-skills.ts'
import { describeRun, type BegunRun } from './describe-run.ts'
import {
  auditRefusal,
  describeAsked,
  digestsOf,
  narrowLimits,
  nothingStarted,
  resultOf,
} from './govern-run.ts'
import { openRecord } from './open-record.ts'
import { decisionOf, type Permit } from './permit.ts'
import { knownSecrets, planRun, type RunPlan } from './plan-run.ts'
import { redactorFor, type Redactor } from './redaction/redact.ts'
import type { RunResult } from './result.ts'
import type { RunCall, RunEvent, RunState } from './run-call.ts'
import type { RunRequest } from './run-request.ts'
import type { RunTrace } from './trace.ts'

const governing = lazily(async () => await import('./govern.ts'))
const running = lazily(async () => await import('./run-in-sandbox.ts'))

/**
 * Decides about a run, runs it and records it; the record is durable before anybody is answered.
 * Only what was no run at all, for a parameter that is wrong, leaves none.
 */
export async function performRun(
  services: Services,
  plan: RunPlan,
  call: RunCall,
): Promise<RunResult> {
  const id = call.runId === undefined ? newRunId() : checkRunId(call.runId)
  const startedAt = new Date()
  const known = { id, startedAt, plan, call }
  let request: RunRequest
  try {
    request = await planRun(services, plan, { ...call, runId: id })
  } catch (error) {
    if (isWorthARecord(error)) {
      const { file } = services.config.secrets
      const configured = await knownSecrets(plan, call, file).catch(() => new Map<string, string>())
      await recordRefusal(
        services,
        { ...known, redactor: redactorOf(call, configured.values()) },
        error,
      )
    }
    throw error
  }
  const redactor = redactorOf(call, Object.values(request.secrets))
  const { permit, limits } = await permitRun(services, { ...known, request, redactor })
  const { allowed, reasons, network, secrets } = request.decision
  const { decision, begun: audit } = permit
  const policy = { allowed, reasons, network, secrets, decision, audit }
  const begun = { ...known, request: { ...request, limits }, policy, redactor }
  try {
    return await runAndRecord(services, begun, permit)
  } finally {
    // Where it came to no end that could be told, it has this one.
    await permit.end(nothingStarted)
  }
}

/** Asks the policy; a run that it refuses has a record as well. */
async function permitRun(
  services: Services,
  run: Omit<BegunRun, 'policy'> & { request: RunRequest },
): Promise<{ permit: Permit; limits: RunRequest['limits'] }> {
  const { limits } = run.request
  try {
    const { govern } = await governing()
    const permit = await govern(services, run.call, describeAsked(run))
    return { permit, limits: narrowLimits(limits, permit) }
  } catch (error) {
    // Those that were sent away because too many wait are many.
    if (toSkillsError(error).code !== 'run/busy') await recordRefusal(services, run, error)
    throw error
  }
}

async function runAndRecord(
  services: Services,
  begun: BegunRun & { request: RunRequest },
  permit: Permit,
): Promise<RunResult> {
  const { call, redactor, id, request: planned } = begun
  const started = describeRun(begun)
  const record = await openRecord(services, started, planned.limits.outputBytes)
  const skills = digestSkills(begun.plan.mounts)
  const trace: RunTrace = {}
  const blobs: BlobInfo[] = []
  const said = new RunningHash()
  const onEvent = (event: RunEvent) => {
    if (event.type === 'blob') blobs.push(event.blob)
    // How it ended is told when the record says so as well.
    if (event.type !== 'state' || !isLast(event.state)) call.onEvent?.(event)
  }
  const onBytes: RunRequest['onBytes'] = (source, bytes) => {
    record.log(bytes, source)
    said.update(bytes)
  }
  const tell = (state: RunState) => call.onEvent?.({ type: 'state', run_id: id, state })
  const close = async (how: Pick<Conclusion, 'result' | 'thrown'>) => {
    call.onStep?.('record')
    if (trace.isolation) call.onIsolated?.(trace.isolation)
    const wasCancelled = call.signal?.aborted === true
    const all = { ...how, trace, blobs, redactor, wasCancelled, skills: await skills }
    const concluded = concludeRun(started, all)
    const digests = { ...digestsOf(concluded), logs: `sha256:${said.hex()}` }
    await Promise.all([record.close(concluded), permit.end(resultOf(concluded), digests)])
  }
  const { runInSandbox } = await running()
  let result: RunResult
  try {
    result = await runInSandbox({ ...planned, trace, onEvent, onBytes })
  } catch (thrown) {
    // The run's own failure is what the caller must hear of, whether it could be recorded or not.
    await close({ result: undefined, thrown }).catch(() => {})
    tell(toSkillsError(thrown).code === 'run/cancelled' ? 'cancelled' : 'failed')
    throw thrown
  }
  try {
    await close({ result, thrown: undefined })
  } catch (error) {
    // Nobody will ever ask for blobs of a run that nobody was told of.
    for (const blob of blobs) await planned.blobs.remove(blob.id).catch(() => {})
    tell('failed')
    throw error
  }
  tell(result.status)
  return result
}

/** A run that was refused or could not be planned has a record as well. */
async function recordRefusal(
  services: Services,
  known: Omit<BegunRun, 'request' | 'policy'>,
  thrown: unknown,
): Promise<void> {
  const { code, data } = toSkillsError(thrown)
  const reasons = (data?.['reasons'] as string[] | undefined) ?? []
  const isDenied = code === 'policy/denied'
  const decision = decisionOf(thrown)
  if (isDenied && !decision) {
    const asked = describeAsked({ ...known, request: undefined })
    await auditRefusal(services, known.call, { asked, reasons })
  }
  const policy = {
    allowed: !isDenied,
    reasons,
    network: [],
    secrets: [],
    ...(decision && { decision }),
  }
  const begun = { ...known, request: undefined, policy }
  const started = describeRun(begun)
  const record = await openRecord(services, started, 0)
  const { redactor } = known
  const skills = await digestSkills(begun.plan.mounts)
  await record.close(
    concludeRun(started, {
      result: undefined,
      thrown,
      trace: {},
      blobs: [],
      skills,
      redactor,
      wasCancelled: known.call.signal?.aborted === true,
    }),
  )
}

function isWorthARecord(error: unknown): boolean {
  return !(error instanceof SkillsError && error.code === 'params/invalid')
}

function isLast(state: RunState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
}

/** What the caller handed over is taken out as well where the run did not get it. */
function redactorOf({ secrets }: RunCall, granted: Iterable<string>): Redactor {
  return redactorFor([...granted, ...(secrets?.values() ?? [])])
}
