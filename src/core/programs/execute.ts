import { toSkillsError } from '../../errors.ts'
import { DeniedError } from '../runs/authorize.ts'
import type { PreparedJob, SessionFolder } from '../runs/job.ts'
import { openProgramNetwork } from '../policy/program-network.ts'
import { describePolicyRequest } from '../runs/describe-request.ts'
import { performRun } from '../runs/perform-run.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import { auditRefusedProgram, describeProgramInputs } from './audit-refused-program.ts'
import { buildAnswer, buildCancelledAnswer, buildDeniedAnswer } from './build-answer.ts'
import { checkExecuteParams } from './check-execute-params.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import type { ExecuteResult } from './execute-result.ts'
import { detachProgram } from './detach-program.ts'
import { describeExecutable, restrictsExecutables } from './describe-executable.ts'
import { findLanguage } from './find-language.ts'
import { findExecutionLocation } from './find-execution-location.ts'
import { PhaseTimer } from './phase-timer.ts'
import { prepareProgram, type PreparedProgram } from './prepare-program.ts'

/**
 * Runs code or a program in one of the languages. A denial, a failure and a timeout are results; a
 * request that cannot run at all throws.
 */
export async function executeRequest(
  services: Services,
  params: ExecuteParams,
  context: JobContext,
): Promise<ExecuteResult> {
  const { call } = context
  const { detach, ...rest } = params
  if (detach === true) return await detachProgram(services, rest, call)
  const { job, phases, getPrepared } = await createAuditedJob(services, params, context)
  try {
    const outcome = await performRun(services, job, call)
    const prepared = getPrepared()
    return prepared ? buildAnswer(prepared, outcome, phases) : buildCancelledAnswer()
  } catch (error) {
    return buildRefusalAnswer(params, error)
  } finally {
    getPrepared()?.release()
  }
}

/** Builds the job of a request. A request without one is refused, which is audited. */
async function createAuditedJob(services: Services, params: ExecuteParams, context: JobContext) {
  try {
    return await createProgramJob(services, params, context)
  } catch (thrown) {
    await auditRefusedProgram(services, { params, call: context.call, thrown })
    throw thrown
  }
}

interface JobContext {
  call: RunCall
  session?: SessionFolder | undefined
}

/** Finds the program of a request and builds its job; the program is prepared when it is allowed. */
export async function createProgramJob(
  services: Services,
  params: ExecuteParams,
  { call, session }: JobContext,
) {
  checkExecuteParams(params)
  const phases = new PhaseTimer('loadRepo')
  const location = await findExecutionLocation(services, params)
  phases.enter('resolveRuntime')
  const found = await findLanguage(services, params, call)
  phases.enter('policy')
  const policy = await services.policy()
  const isChosen = [params.executable, params.command, services.config.run.python].some(Boolean)
  const isAnyPython = !isChosen && !restrictsExecutables(policy)
  let prepared: PreparedProgram | undefined
  const job: PreparedJob = {
    kind: 'execute',
    skills: [],
    repo: params.repoId,
    language: params.runtime,
    request: {
      executable: await describeExecutable(services, { params, found, call }),
      cwd: location.cwd,
      timeoutMs: params.timeoutMs,
    },
    inputs: describeProgramInputs(params),
    async prepare(allowance) {
      const { network = [] } = job
      const chosen = { location, found, isAnyPython, network, session }
      const request = { params, call, phases, allowance, ...chosen }
      prepared = await prepareProgram(services, request)
      return prepared.job
    },
  }
  job.network = openProgramNetwork(describePolicyRequest({ job, call }, [], []), policy)
  return { job, phases, getPrepared: () => prepared }
}

/** Converts a denial or an early cancellation into an answer. */
function buildRefusalAnswer(params: ExecuteParams, error: unknown): ExecuteResult {
  if (toSkillsError(error).code === 'run/cancelled') return buildCancelledAnswer()
  if (!(error instanceof DeniedError)) throw error
  const { reasons, audit_hash: auditHash, code = error.code } = error.decision
  return buildDeniedAnswer(params, { reasons, code, auditHash })
}
