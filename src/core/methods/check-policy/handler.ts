import { toSnakeKeys } from '../../../util/snake-keys.ts'
import { computeQueueLimits } from '../../open-services.ts'
import { evaluatePolicy } from '../../policy/evaluate-policy.ts'
import { explainVerdict } from '../../policy/explain-verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { PolicyRequest } from '../../policy/policy-request.ts'
import { openProgramNetwork } from '../../policy/program-network.ts'
import type { Denial, PolicyVerdict } from '../../policy/verdict.ts'
import { openOperatorRedactor } from '../../runs/redaction/operator-redactor.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { getStoreFolder } from '../../storage/store-folders.ts'
import { mapTexts } from '../map-texts.ts'
import type { CheckPolicyParams, CheckPolicyResult } from './definition.ts'
import { resolvePolicyRequest } from './resolve-request.ts'

/** `check_policy`: explains the decision of each layer on a request. Nothing is started. */
export async function checkPolicy(
  services: Services,
  params: CheckPolicyParams,
  call: RunCall,
): Promise<CheckPolicyResult> {
  const policy = await services.policy()
  const request = openNetwork(await resolvePolicyRequest(services, params, call), policy)
  const verdict = evaluatePolicy(request, policy)
  const { config } = services
  const layers = explainVerdict({ request, policy }, verdict, {
    ...((call.runQueue ?? services.runQueue).limits ?? computeQueueLimits(config)),
    auditDir: getStoreFolder(config.directories.data, 'audit'),
  })
  const shown = layers.map((each) => ({ ...each, denials: each.denials.map(toDenial) }))
  // The address or the command of a hook may contain a token.
  const redactor = await openOperatorRedactor(services)
  const isAsked = verdict.approval.length > 0
  const allowed = verdict.allowed && (!isAsked || policy.approval !== undefined)
  const { timeoutMs, outputBytes } = verdict.limits
  return {
    allowed,
    needs_approval: isAsked,
    ...explainDecision(verdict, allowed),
    request: toSnakeKeys(request) as CheckPolicyResult['request'],
    layers: mapTexts(shown, (text) => redactor.text(text)) as CheckPolicyResult['layers'],
    rules: verdict.rules,
    approval: verdict.approval,
    limits: { timeout_ms: timeoutMs, output_bytes: outputBytes },
    require: { aslr: verdict.aslr === true },
    audit_hash: verdict.auditHash,
  }
}

/** A program gets the destinations that `[[programs]]` opens, as in its run. */
function openNetwork(request: PolicyRequest, policy: Policy): PolicyRequest {
  if (request.kind !== 'execute' || request.network.length > 0) return request
  return { ...request, network: openProgramNetwork(request, policy) }
}

function explainDecision({ denials: [first] }: PolicyVerdict, allowed: boolean) {
  if (first) return { code: first.code, layer: first.layer }
  return allowed
    ? { code: null, layer: null }
    : { code: 'approval-failed', layer: 'approval' as const }
}

function toDenial({ by, ...denial }: Denial) {
  return { ...denial, ...(by !== undefined && { by }) }
}
