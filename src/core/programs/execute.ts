import { toSkillsError } from '../../errors.ts'
import { DeniedError } from '../runs/authorize.ts'
import type { PreparedJob } from '../runs/job.ts'
import { performRun } from '../runs/perform-run.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import { answer, cancelledAnswer, deniedAnswer } from './answer.ts'
import { checkRequest } from './check-request.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import type { ExecuteResult } from './execute-result.ts'
import { executableFacts, findLanguage } from './find-language.ts'
import { findPlace } from './find-place.ts'
import { Phases } from './phases.ts'
import { prepareProgram, type PreparedProgram } from './prepare-program.ts'

/**
 * Runs code or a program in one of the languages: what policy refuses, what fails and what runs out of
 * time are answers; what could not be run at all is thrown.
 */
export async function execute(
  services: Services,
  params: ExecuteParams,
  call: RunCall,
): Promise<ExecuteResult> {
  checkRequest(params)
  const phases = new Phases('loadRepo')
  const place = await findPlace(services, params)
  phases.enter('resolveRuntime')
  const found = await findLanguage(services, params, call)
  phases.enter('policy')
  let prepared: PreparedProgram | undefined
  const job: PreparedJob = {
    kind: 'execute',
    skills: [],
    repo: params.repoId,
    language: params.runtime,
    request: {
      executable: executableFacts(params, found),
      cwd: place.cwd,
      timeoutMs: params.timeoutMs,
    },
    given: describeGiven(params),
    async prepare(allowance) {
      const request = { params, place, found, call, phases, allowance }
      prepared = await prepareProgram(services, request)
      return prepared.job
    },
  }
  try {
    const outcome = await performRun(services, job, call)
    return prepared ? answer(prepared, outcome, phases) : cancelledAnswer()
  } catch (error) {
    return answerRefusal(params, error)
  } finally {
    prepared?.release()
  }
}

/** A denial of the policy is an answer, and so is a cancellation in time. */
function answerRefusal(params: ExecuteParams, error: unknown): ExecuteResult {
  if (toSkillsError(error).code === 'run/cancelled') return cancelledAnswer()
  if (!(error instanceof DeniedError)) throw error
  const { reasons, audit_hash: auditHash, code = error.code } = error.decision
  return deniedAnswer(params, { reasons, code, auditHash })
}

function describeGiven({ code, args, stdin }: ExecuteParams): Record<string, string> {
  return {
    ...(code !== undefined && { code }),
    ...(args && { args: JSON.stringify(args) }),
    ...(stdin !== undefined && { stdin }),
  }
}
