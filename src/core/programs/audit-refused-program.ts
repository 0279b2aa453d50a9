import { toSkillsError } from '../../errors.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { auditRefusal, type TOO_MANY_RUNS } from '../runs/audit-refusal.ts'
import { describeRequest } from '../runs/describe-request.ts'
import { isRunId } from '../runs/history/run-id.ts'
import type { PreparedJob } from '../runs/job.ts'
import { createRefusalRedactor } from '../runs/record-run.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'

/** A request that is refused before its program is looked up. */
interface RefusedProgram {
  params: ExecuteParams
  call: RunCall
  thrown: unknown
  /** Default: by the error. */
  refusal?: typeof TOO_MANY_RUNS
}

/** Audits a request without a job: invalid parameters, an unknown repository, a missing folder. */
export async function auditRefusedProgram(
  services: Services,
  { params, call, thrown, refusal }: RefusedProgram,
): Promise<void> {
  const { runtime: language, repoId: repo, relativeCwd, timeoutMs } = params
  const requested = params.executable ?? params.command
  const { message: sentence } = toSkillsError(thrown)
  const job: PreparedJob = {
    kind: 'execute',
    skills: [],
    repo,
    language,
    request: {
      ...(requested !== undefined && {
        executable: { asked: requested, problem: 'executable-not-found', sentence },
      }),
      ...(relativeCwd !== undefined && {
        cwd: { asked: relativeCwd, problem: 'cwd-escape-attempt', sentence },
      }),
      timeoutMs,
    },
    inputs: describeProgramInputs(params),
    prepare: async () => await Promise.reject(thrown),
  }
  const id = isRunId(call.runId ?? '') ? (call.runId as string) : services.ids.reserve()
  const redactor = await createRefusalRedactor(services, { job, call })
  const request = await describeRequest({ id, job, call, redactor }, [], [])
  await auditRefusal(services, { call, request, thrown, refusal })
}

export function describeProgramInputs({ code, args, stdin }: ExecuteParams): PreparedJob['inputs'] {
  return {
    ...(code !== undefined && { code }),
    ...(args && { args: [...args] }),
    ...(stdin !== undefined && { stdin }),
  }
}
