import { toSkillsError } from '../../errors.ts'
import type { Services } from '../services.ts'
import type { ActiveRun, EndedRun } from './active-run.ts'
import { auditRefusal } from './audit-refusal.ts'
import { DeniedError, type Authorization } from './authorize.ts'
import { collectDigests, toAuditedResult, concludeRun } from './conclude-run.ts'
import {
  describePolicyRequest,
  describeRequest,
  type RequestedRun,
  type RunRequest,
} from './describe-request.ts'
import { describeRun } from './describe-run.ts'
import { digestSkills } from './digest-skills.ts'
import type { RunRecord } from './history/run-record.ts'
import type { OpenRecord } from './history/run-store.ts'
import { isFunctionJob, type FunctionJob, type Job, type ProgramJob } from './job.ts'
import { createRedactor, type Redactor } from './redaction/redact.ts'
import type { Permissions } from './resolve-permissions.ts'
import type { RunCall, RunState } from './run-call.ts'
import type { PhaseClock } from './run-phases.ts'
import type { RunTrace } from './trace.ts'

/** Bytes in the logs of a record for notes and log levels, besides the output. */
const NOTES_BYTES = 64 * 1024
/** Log bytes of a program; its complete output is stored elsewhere. */
const PROGRAM_LOG_BYTES = 64 * 1024

/** A run as the caller requested it. */
export interface CalledRun<J extends Job = Job> {
  id: string
  startedAt: Date
  job: J
  call: RunCall
  clock: PhaseClock
}

/** A run that the policy has allowed. */
export interface AuthorizedRun<J extends Job = Job> extends CalledRun<J> {
  permissions: Permissions
  redactor: Redactor
  request: RunRequest
  authorization: Authorization
  /** True if the authorization continues after this run because another step follows. */
  isStep: boolean
}

/** A run with an open record. */
interface RecordedRun<J extends FunctionJob | ProgramJob> {
  active: ActiveRun<J>
  /** Writes the end to the record and the audit log; durable when it returns. */
  conclude: (ended: EndedRun<unknown> | undefined, thrown?: unknown) => Promise<void>
  report: (state: RunState) => void
}

/** Opens the record of a run before anything is started. */
export async function recordRun<J extends FunctionJob | ProgramJob>(
  services: Services,
  run: AuthorizedRun<J>,
): Promise<RecordedRun<J>> {
  const { id, job, call, clock, permissions, redactor, authorization, isStep } = run
  const { allowed, reasons, network, secrets } = permissions.decision
  const { decision, beginLink } = authorization
  const policy = { allowed, reasons, network, secrets, decision, audit: beginLink }
  const { limits } = permissions
  const started = await describeRun({ ...run, policy, limits })
  const isComplete = isFunctionJob(job) || call.isDetached === true
  const logBytes = isComplete ? limits.outputBytes : PROGRAM_LOG_BYTES
  const record = await openRunRecord(services, started, { outputBytes: logBytes, call })
  const skills = digestSkills(services, job.skills)
  const trace: RunTrace = {}
  const report = (state: RunState) => {
    clock.enterState(state)
    call.onEvent?.({ type: 'state', run_id: id, state })
  }
  return {
    active: {
      id,
      job,
      call,
      permissions,
      redactor,
      hasLowPriority: authorization.hasLowPriority,
      trace,
      report,
      log: (piece, source) => record.log(piece, source),
    },
    report,
    async conclude(ended, thrown) {
      clock.enter('record')
      if (trace.isolation) call.onEvent?.({ type: 'isolated', isolation: trace.isolation })
      const wasCancelled = call.signal?.aborted === true
      const { result, blobs = [], digests } = ended ?? {}
      const phases = clock.list()
      const facts = { result, thrown, trace, blobs, redactor, wasCancelled, phases }
      const end = { ...facts, skills: await skills }
      const complete = { ...concludeRun(started, end), logs: record.describeLogs() }
      if (isStep) {
        await record.close(complete)
        return authorization.coverRecord(complete)
      }
      const audited = ended?.audited ?? toAuditedResult(complete)
      const all = { ...collectDigests(complete), ...digests }
      await closeBeforeEnd(record, complete, {
        cover: () => authorization.coverRecord(complete),
        end: async () => await authorization.end(audited, all),
      })
    },
  }
}

/**
 * The record is written before the log has its digest: a crash between them leaves a record without
 * an end in the log, never the reverse. Both become durable at the same time.
 */
async function closeBeforeEnd(
  record: OpenRecord,
  complete: RunRecord,
  { cover, end }: { cover: () => void; end: () => Promise<void> },
): Promise<void> {
  let ending: Promise<void> | undefined
  const coverAndEnd = () => {
    if (ending) return
    cover()
    ending = end()
    // Awaited below.
    ending.catch(() => {})
  }
  try {
    await record.close(complete, coverAndEnd)
    coverAndEnd()
  } finally {
    await (ending ?? end())
  }
}

/**
 * Records a run that was refused or could not be prepared. Invalid parameters and a full queue have
 * no record. The audit log has a refusal even if the policy did not decide about it.
 */
export async function recordRefusal(
  services: Services,
  run: CalledRun,
  { thrown, isAuthorized }: { thrown: unknown; isAuthorized: boolean },
): Promise<void> {
  const { code, data } = toSkillsError(thrown)
  if (code === 'run/busy') return
  const { job, call, clock } = run
  const { config } = services
  const redactor = await createRefusalRedactor(services, run)
  const network = 'network' in job ? (job.network ?? []) : []
  const described = { ...run, redactor }
  // Invalid parameters may be too deep to digest.
  const request =
    code === 'params/invalid'
      ? {
          runId: run.id,
          facts: describePolicyRequest(described, network, config.run.environment),
          inputs: {},
        }
      : await describeRequest(described, network, config.run.environment)
  const reasons = (data?.['reasons'] as string[] | undefined) ?? []
  const isDenied = code === 'policy/denied'
  const decision = thrown instanceof DeniedError ? thrown.decision : undefined
  if (!isAuthorized) await auditRefusal(services, { call, request, thrown })
  if (code === 'params/invalid') return
  const grants = { allowed: !isDenied, reasons, network: [], secrets: [] }
  const policy = { ...grants, ...(decision && { decision }) }
  const started = await describeRun({ ...run, redactor, request, policy, limits: null })
  const record = await openRunRecord(services, started, { outputBytes: 0, call })
  const skills = await digestSkills(services, job.skills)
  const wasCancelled = call.signal?.aborted === true
  clock.enter('record')
  const phases = clock.list()
  const ended = { result: undefined, trace: {}, blobs: [] }
  const end = { ...ended, thrown, skills, redactor, wasCancelled, phases }
  await record.close(concludeRun(started, end))
}

/**
 * Redacts all secrets of the operator and the caller, because a refused request may contain any of
 * them.
 */
export async function createRefusalRedactor(
  services: Services,
  { job, call }: Pick<RequestedRun, 'job' | 'call'>,
): Promise<Redactor> {
  const configured = await readAllSecrets(services).catch(() => new Map<string, string>())
  const jobSecrets = 'secrets' in job ? Object.values(job.secrets ?? {}) : []
  return createRedactor([
    ...configured.values(),
    ...(call.grants?.secrets?.values() ?? []),
    ...jobSecrets,
  ])
}

async function readAllSecrets(services: Services): Promise<ReadonlyMap<string, string>> {
  return await (await services.secrets()).values()
}

async function openRunRecord(
  services: Services,
  started: RunRecord,
  { outputBytes, call }: { outputBytes: number; call: RunCall },
): Promise<OpenRecord> {
  const store = await services.runs()
  const record = await store.open(started, {
    isIdFromCaller: !services.ids.consume(started.run_id),
    maxLogBytes: outputBytes + NOTES_BYTES,
    isFollowed: call.isDetached,
  })
  call.onEvent?.({ type: 'recorded', run_id: started.run_id })
  return record
}
