import { toSkillsError, type SkillsError } from '../../errors.ts'
import { computeAuditHash } from '../policy/evaluate-policy.ts'
import type { DenyCode, Layer } from '../policy/verdict.ts'
import type { Services } from '../services.ts'
import { DeniedError } from './authorize.ts'
import { describeCall, pickContents, type RunRequest } from './describe-request.ts'
import type { RunCall } from './run-call.ts'

/** Code and layer of a refusal, as in a policy's denial. */
interface RefusalClass {
  code: DenyCode
  layer: Layer
}

/** A caller that has as many runs as it may have. */
export const TOO_MANY_RUNS: RefusalClass = {
  code: 'concurrency-limit-reached',
  layer: 'concurrency',
}

const INVALID_REQUEST: RefusalClass = { code: 'request-invalid', layer: 'policy' }

/** By the code of the error; others are invalid requests. */
const REFUSALS: Readonly<Record<string, RefusalClass>> = {
  // No backend can enforce the network permissions of the run.
  'policy/denied': { code: 'network-not-allowed', layer: 'policy' },
  'policy/invalid': { code: 'policy-invalid', layer: 'policy' },
  'repository/unknown': { code: 'repository-not-allowed', layer: 'policy' },
  'repository/unusable': { code: 'repository-not-allowed', layer: 'policy' },
}

/** Errors that are audited elsewhere, or that refuse nothing. */
const OTHER_ERRORS = new Set([
  'run/busy',
  'run/cancelled',
  'audit/unavailable',
  'internal/unexpected',
])

/** A request and the error that refused it. */
interface RefusedRequest {
  call: RunCall
  request: RunRequest
  thrown: unknown
  /** Default: by the error, of which some are audited elsewhere. */
  refusal?: RefusalClass | undefined
}

/** Audits a request that was refused before the policy could decide about it. */
export async function auditRefusal(
  services: Services,
  { call, request, thrown, refusal }: RefusedRequest,
): Promise<void> {
  const { code, message, data } = toSkillsError(thrown)
  if (!refusal && (thrown instanceof DeniedError || OTHER_ERRORS.has(code))) return
  const { timeoutMs, limits } = services.config.run
  const contents = pickContents(request, services.config.audit.contents)
  const listed = data?.['reasons']
  const reasons = Array.isArray(listed) ? listed.map(String) : [message]
  const log = await services.audit()
  await log.append(
    {
      ...describeCall(call, request, contents),
      event: 'denied',
      decision: {
        allowed: false,
        ...(refusal ?? classifyRefusal(code, data)),
        reasons: reasons.map((each) => each.slice(0, 1000)),
        rules: [],
        limits: { timeout_ms: timeoutMs, output_bytes: limits.outputBytes },
        policies: [],
        audit_hash: computeAuditHash({ run: request.runId, request: request.facts, reasons }),
      },
    },
    { durable: true },
  )
}

function classifyRefusal(code: string, data: SkillsError['data']): RefusalClass {
  const isOutside = data?.['param'] === 'relativeCwd' && code === 'params/invalid'
  if (isOutside) return { code: 'cwd-escape-attempt', layer: 'cwd' }
  return REFUSALS[code] ?? INVALID_REQUEST
}
