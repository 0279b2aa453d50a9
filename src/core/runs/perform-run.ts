import { toSkillsError } from '../../errors.ts'
import { loadLazily } from '../../util/load-lazily.ts'
import type { Services } from '../services.ts'
import type { ActiveRun, BlobFiles, EndedRun } from './active-run.ts'
import { authorize, type Authorization } from './authorize.ts'
import { toAuditedOutcome, NOT_STARTED } from './conclude-run.ts'
import { describeRequest } from './describe-request.ts'
import { checkRunId } from './history/run-id.ts'
import {
  isFunctionJob,
  type FunctionJob,
  type Job,
  type PreparedJob,
  type ProgramJob,
  type ProgramOutcome,
} from './job.ts'
import { recordRefusal, recordRun, type AuthorizedRun, type CalledRun } from './record-run.ts'
import { createRedactor } from './redaction/redact.ts'
import { listSecretValues } from './network/masked-secrets.ts'
import { resolvePermissions, type Permissions } from './resolve-permissions.ts'
import type { EndedRunResult } from './result.ts'
import { hideFromFollowers, type RunCall } from './run-call.ts'
import { startPhaseClock } from './run-phases.ts'

const loadFunctionSupervisor = loadLazily(async () => await import('./supervise/function.ts'))
const loadProgramSupervisor = loadLazily(async () => await import('./supervise/program.ts'))

type JobResult = EndedRunResult | ProgramOutcome
type ResultForJob<J extends Job> = J extends FunctionJob ? EndedRunResult : ProgramOutcome

/**
 * Performs a run, in these phases: resolve, authorize, record, start, supervise, conclude. Every
 * execution goes through this function. The record and the audit log are durable before the result
 * is returned. Failed code is a result; a run that cannot start throws.
 */
export async function performRun<J extends Job>(
  services: Services,
  job: J,
  call: RunCall,
): Promise<ResultForJob<J>> {
  const id = call.runId === undefined ? services.ids.reserve() : checkRunId(call.runId)
  const attributes = { 'skills.run.id': id, 'skills.run.kind': job.kind }
  return await services.spans.record(
    { name: 'run', attributes, describe: ({ status }) => ({ 'skills.run.status': status }) },
    async () => await performNumbered(services, addSetup(job, services), { id, call }),
  )
}

/** Adds the preparations of a test to a function. */
function addSetup<J extends Job>(job: J, { instruments }: Services): J {
  const setup = instruments?.setup
  return setup && isFunctionJob(job) ? { ...job, ...setup } : job
}

async function performNumbered<J extends Job>(
  services: Services,
  job: J,
  { id, call }: { id: string; call: RunCall },
): Promise<ResultForJob<J>> {
  const clock = startPhaseClock(call.times, (name) => call.onEvent?.({ type: 'phase', name }))
  const run = await authorizeRun(services, { id, startedAt: new Date(), job, call, clock })
  try {
    await call.onEvent?.({ type: 'authorized' })
    return (await performAuthorized(services, run)) as ResultForJob<J>
  } catch (error) {
    // No effect if the end was already written.
    await run.authorization.end({ ...NOT_STARTED, error: toSkillsError(error).code })
    throw error
  }
}

/** Resolves the permissions of a run and evaluates the policy. A refused run gets a record too. */
async function authorizeRun(services: Services, run: CalledRun): Promise<AuthorizedRun> {
  const { job, call } = run
  try {
    const permissions = await resolvePermissions(services, job, call)
    // All secret values of the caller are redacted, even those that the run does not get.
    const values = [...listSecretValues(permissions), ...(call.grants?.secrets?.values() ?? [])]
    const redactor = createRedactor(values, await services.redactionPatterns())
    const resolved = { ...run, job: { ...job, skills: permissions.skills }, redactor }
    const { environment } = services.config.run
    const request = await describeRequest(resolved, permissions.decision.network, environment)
    const authorization = await authorize(services, run, request)
    return {
      ...resolved,
      permissions: narrowPermissions(permissions, authorization),
      request,
      authorization,
      isStep: false,
    }
  } catch (thrown) {
    await recordRefusal(services, run, { thrown, isAuthorized: false })
    throw thrown
  }
}

/** Narrows the permissions of a run to those of the policy. */
function narrowPermissions(permissions: Permissions, { verdict }: Authorization): Permissions {
  const { limits } = permissions
  const { timeoutMs, outputBytes } = verdict.limits
  return {
    ...permissions,
    limits: {
      ...limits,
      wallMs: Math.min(limits.wallMs, timeoutMs),
      outputBytes: Math.min(limits.outputBytes, outputBytes),
    },
    ownMemoryLayout: permissions.ownMemoryLayout || verdict.aslr === true,
  }
}

async function performAuthorized(services: Services, run: AuthorizedRun): Promise<JobResult> {
  const { job, call, authorization } = run
  if (!('prepare' in job)) return await performJob(services, { ...run, job })
  const prepared = await prepareJob(services, { ...run, job })
  if ('status' in prepared) {
    await authorization.end(toAuditedOutcome(prepared), prepared.digests)
    return prepared
  }
  const permissions = await resolvePermissions(services, prepared, call)
  return await performJob(services, {
    ...run,
    job: prepared,
    permissions: narrowPermissions(permissions, authorization),
  })
}

/** Prepares a program under its authorization, with steps such as compiling. */
async function prepareJob(
  services: Services,
  run: AuthorizedRun<PreparedJob>,
): Promise<ProgramJob | ProgramOutcome> {
  const { limits, auditHash, aslr } = run.authorization.verdict
  const perform = async (job: ProgramJob, keepIn: string) => {
    const call = hideFromFollowers({ ...run.call, keepIn })
    const permissions = await resolvePermissions(services, job, call)
    const outputBytes = Math.min(permissions.limits.outputBytes, limits.outputBytes)
    const stepPermissions = {
      ...permissions,
      limits: { ...permissions.limits, outputBytes },
      ownMemoryLayout: permissions.ownMemoryLayout || aslr === true,
    }
    const step = {
      id: services.ids.reserve(),
      startedAt: new Date(),
      job,
      call,
      clock: startPhaseClock('begin'),
      permissions: stepPermissions,
      isStep: true,
    }
    return (await performJob(services, { ...run, ...step })) as ProgramOutcome
  }
  try {
    return await run.job.prepare({ ...limits, auditHash, perform })
  } catch (thrown) {
    await recordRefusal(services, run, { thrown, isAuthorized: true })
    throw thrown
  }
}

/** Runs one job in one sandbox, with its own record. */
async function performJob(
  services: Services,
  run: AuthorizedRun<FunctionJob | ProgramJob>,
): Promise<JobResult> {
  const { active, conclude, report } = await recordRun(services, run)
  report('starting')
  let ended: EndedRun<JobResult>
  try {
    ended = await superviseRun(services, active)
  } catch (thrown) {
    // The caller must get the error of the run, even if recording it fails.
    await conclude(undefined, thrown).catch(() => {})
    const isCancelled = toSkillsError(thrown).code === 'run/cancelled'
    report(isCancelled ? 'cancelled' : 'failed')
    if (isCancelled && !isFunctionJob(run.job))
      return (await loadProgramSupervisor()).describeCancelledStart(run.id)
    throw thrown
  }
  try {
    await conclude(ended)
  } catch (error) {
    // The caller gets an error without the ids of these blobs.
    const store = await services.blobs()
    for (const { id } of ended.blobs) await store.remove(id).catch(() => {})
    report('failed')
    throw error
  }
  report(ended.result?.status ?? 'cancelled')
  return await ended.value
}

/** Starts a run and supervises it to its end, with the supervisor of its job. */
async function superviseRun(services: Services, run: ActiveRun): Promise<EndedRun<JobResult>> {
  const { job } = run
  const pinned = await (await services.blobs()).hold([...new Set(job.inputBlobs)])
  try {
    const files: BlobFiles = pinned.files.map(({ id, localPath }) => ({
      name: id.slice('blob:'.length),
      path: localPath,
    }))
    if (isFunctionJob(job)) {
      return await (
        await loadFunctionSupervisor()
      ).superviseFunction(services, { ...run, job }, files)
    }
    return await (await loadProgramSupervisor()).superviseProgram(services, { ...run, job }, files)
  } finally {
    await pinned.release()
  }
}
