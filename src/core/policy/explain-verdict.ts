import { formatByteLimit, spellDuration } from '../../util/quantity.ts'
import type { Policy } from './policy.ts'
import type { PolicyRequest } from './policy-request.ts'
import { LAYERS, type Denial, type Layer, type PolicyVerdict } from './verdict.ts'

/** Verdict of one layer. */
export interface LayerVerdict {
  layer: Layer
  verdict: 'pass' | 'deny' | 'ask'
  /** Reason; for a layer that passes, the setting that applies. */
  sentence: string
  denials: readonly Denial[]
}

/** Facts for layers that are not part of the verdict. */
interface LayerFacts {
  running: number
  waiting: number
  auditDir: string
}

/** Explains every layer in order, including those after a denial. */
export function explainVerdict(
  { request, policy }: { request: PolicyRequest; policy: Policy },
  verdict: PolicyVerdict,
  facts: LayerFacts,
): LayerVerdict[] {
  return LAYERS.map((layer) => {
    const denials = verdict.denials.filter((each) => each.layer === layer)
    if (denials.length > 0) {
      const sentence = denials.map((each) => each.sentence).join('; ')
      return { layer, verdict: 'deny', sentence, denials }
    }
    if (layer === 'approval' && verdict.approval.length > 0) {
      return { layer, verdict: 'ask', sentence: describeApproval(policy, verdict), denials }
    }
    const sentence = PASS_DESCRIPTIONS[layer]({ request, policy, verdict, facts })
    return { layer, verdict: 'pass', sentence, denials }
  })
}

function describeApproval({ approval }: Policy, { approval: rules }: PolicyVerdict): string {
  const names = rules.map((name) => `"${name}"`).join(', ')
  if (!approval)
    return `${names} requires approval, but the policy has no [approval]: the run would be denied`
  const hook = approval.kind === 'command' ? approval.command.join(' ') : approval.url
  return `${names} requires approval by ${hook} within ${spellDuration(approval.timeoutMs)}`
}

interface PassContext {
  request: PolicyRequest
  policy: Policy
  verdict: PolicyVerdict
  facts: LayerFacts
}

const PASS_DESCRIPTIONS: Readonly<Record<Layer, (passing: PassContext) => string>> = {
  config: ({ policy }) => `runtime.enabled is ${policy.enabled}`,
  policy: ({ policy, request, verdict: { rules, aslr } }) => {
    if (policy.files.length === 0) return 'There is no policy file: everything is allowed'
    const matching = rules.length === 0 ? 'No rule matches' : `Matching rules: ${rules.join(', ')}`
    const opened = request.kind === 'execute' ? request.network : []
    const network = opened.length === 0 ? '' : `; the program may reach ${opened.join(', ')}`
    return `${matching}${network}${aslr ? '; the run gets an address-space layout of its own' : ''}`
  },
  executable: ({ request: { executable } }) =>
    executable && 'path' in executable ? executable.path : 'None requested',
  environment: ({ request: { environment } }) => environment.join(', ') || 'None requested',
  cwd: ({ request: { cwd } }) => (cwd && 'relative' in cwd ? cwd.relative : 'None requested'),
  approval: () => 'No approval required',
  concurrency: ({ facts }) => `${facts.running} concurrent runs, ${facts.waiting} more may wait`,
  timeout: ({ verdict }) => `Ended after ${spellDuration(verdict.limits.timeoutMs)}`,
  output: ({ verdict }) => `At most ${formatByteLimit(verdict.limits.outputBytes)}`,
  audit: ({ facts }) => `Written to ${facts.auditDir}`,
}
