import { toSkillsError } from '../../errors.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { auditRefusal } from '../runs/audit-refusal.ts'
import { describeRequest } from '../runs/describe-request.ts'
import { isRunId } from '../runs/history/run-id.ts'
import type { PreparedJob } from '../runs/job.ts'
import { createRedactor } from '../runs/redaction/redact.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'

/** A request that is refused before its program is looked up. */
interface RefusedProgram {
  params: ExecuteParams
  inputs: PreparedJob['inputs']
  call: RunCall
  thrown: unknown
}

/** Audits a request without a job: invalid parameters, an unknown repository, a missing folder. */
export async function auditRefusedProgram(
  services: Services,
  { params, inputs, call, thrown }: RefusedProgram,
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
    inputs,
    prepare: async () => await Promise.reject(thrown),
  }
  const id = isRunId(call.runId ?? '') ? (call.runId as string) : services.ids.reserve()
  const request = await describeRequest({ id, job, call, redactor: createRedactor([]) }, [], [])
  await auditRefusal(services, { call, request, thrown })
}
