import { toSkillsError } from '../../errors.ts'
import { takeFresh } from './history/run-id.ts'
import type { RunRecord } from './history/run-record.ts'
import type { Services } from '../services.ts'
import { concludeRun } from './conclude-run.ts'
import { describeRequest } from './describe-decision.ts'
import { digestOf, emptyRecord } from './describe-run.ts'
import { decisionOf, type GovernedCall } from './permit.ts'
import { redactorFor } from './redaction/redact.ts'
import type { RunCall } from './run-call.ts'

/** Leaves the record of a call that policy refused before there was a plan of it. */
export async function recordDenied(
  services: Services,
  call: RunCall,
  { asked, error }: { asked: GovernedCall; error: unknown },
): Promise<void> {
  const decision = decisionOf(error)
  const { runId: id, request, given } = asked
  const { skills: _skills, timeout_ms, network, environment, ...args } = describeRequest(request)
  const digests = Object.entries(given).map(([name, value]) => [name, digestOf(value)])
  const begun: RunRecord = {
    ...emptyRecord({ id, startedAt: new Date(), call }),
    kind: request.kind,
    request: {
      args: {
        ...args,
        network: [...network],
        environment: [...environment],
        digests: Object.fromEntries(digests) as Record<string, string>,
      },
      args_cut: [],
      input_blobs: [],
      timeout_ms,
    },
    skills: [],
    policy: {
      allowed: false,
      reasons: decision?.reasons ?? [toSkillsError(error).message],
      network: [],
      secrets: [],
      ...(decision && { decision }),
    },
    limits: null,
  }
  const store = await services.runs()
  const record = await store.open(begun, { mayBeTaken: !takeFresh(id), maxLogBytes: 0 })
  const nothing = { result: undefined, trace: {}, blobs: [], skills: [], wasCancelled: false }
  await record.close(concludeRun(begun, { ...nothing, thrown: error, redactor: redactorFor([]) }))
}
