import type { CheckPolicyResult } from '../../../core/methods/check-policy/definition.ts'
import { Link } from '../../app/link.tsx'
import { reloadChanges, scopes } from '../../app/live-events.ts'
import { useMethod } from '../../app/use-method.ts'
import { Status } from '../../components/status.tsx'
import { formatFormPath } from '../../models/policy-request.ts'
import { nameSkill, type InspectedSkill } from './skill-tab.ts'

interface PolicyPreviewProps {
  skill: InspectedSkill
  timeoutMs: number | undefined
}

/** The decision of the policy on a run of this skill. It needs the scope `operate`; others see nothing. */
export function PolicyPreview({ skill, timeoutMs }: PolicyPreviewProps) {
  const { name, version } = nameSkill(skill)
  const reference = `${name}@${version}`
  const params = {
    kind: 'execute_skill' as const,
    skills: [reference],
    ...(skill.language !== null && { language: skill.language }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  }
  const isShown = scopes.value.has('operate')
  const { data, error } = useMethod('check_policy', isShown ? params : undefined, {
    changes: reloadChanges,
  })
  if (data === undefined || error !== undefined) return null
  const path = formatFormPath({
    kind: params.kind,
    skills: reference,
    language: skill.language ?? '',
    timeout: timeoutMs === undefined ? '' : String(timeoutMs / 1000),
  })
  return (
    <p class="policy-preview" role="status">
      Policy: <Status {...describeDecision(data)} /> <Link to={path}>Why?</Link>
    </p>
  )
}

function describeDecision({ allowed, needs_approval: isAsked, layers }: CheckPolicyResult) {
  const denying = layers.find(({ verdict }) => verdict === 'deny')
  if (denying) {
    const [first] = denying.denials
    return { value: 'failed', text: `would be denied. ${first?.sentence ?? denying.sentence}` }
  }
  if (!allowed) return { value: 'failed', text: 'needs an approval that nobody can give' }
  if (isAsked) return { value: 'ask', text: 'would need approval' }
  return { value: 'allowed', text: `allowed by all ${layers.length} layers` }
}
