import type { Services } from '../../services.ts'
import { auditRefusal, TOO_MANY_RUNS } from '../audit-refusal.ts'
import { describeRequest } from '../describe-request.ts'
import { isRunId } from '../history/run-id.ts'
import type { FunctionJob } from '../job.ts'
import { createRefusalRedactor } from '../record-run.ts'
import type { RunCall } from '../run-call.ts'

/** Audits a function whose caller has too many detached runs. */
export async function auditRefusedFunction(
  services: Services,
  { job, call, thrown }: { job: FunctionJob; call: RunCall; thrown: unknown },
): Promise<void> {
  const { runId = '' } = call
  const id = isRunId(runId) ? runId : services.ids.reserve()
  const redactor = await createRefusalRedactor(services, { job, call })
  const { environment } = services.config.run
  const request = await describeRequest({ id, job, call, redactor }, [], environment)
  await auditRefusal(services, { call, request, thrown, refusal: TOO_MANY_RUNS })
}
