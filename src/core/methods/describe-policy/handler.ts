import { toSkillsError } from '../../../errors.ts'
import type { Policy, ProgramNetwork } from '../../policy/policy.ts'
import { openOperatorRedactor } from '../../runs/redaction/operator-redactor.ts'
import type { Services } from '../../services.ts'
import { mapTexts } from '../map-texts.ts'
import type { DescribePolicyResult } from './definition.ts'
import { listPolicySettings } from './list-policy-settings.ts'
import { describeScope } from './describe-scope.ts'

/** `describe_policy`: lists every setting and rule that affects runs. */
export async function describePolicy(
  services: Pick<
    Services,
    'config' | 'origins' | 'policy' | 'repositories' | 'secrets' | 'redactionPatterns'
  >,
): Promise<DescribePolicyResult> {
  const policy = await services.policy()
  // The address or the command of a hook may contain a token.
  const redactor = await openOperatorRedactor(services)
  const { file, standardFile, projectFile } = services.config.policy
  return {
    files: policy.files,
    looked_for: { operator: file ?? standardFile ?? null, project: projectFile ?? null },
    settings: await listPolicySettings(services),
    scopes: policy.scopes.map(describeScope),
    programs: policy.programs.map(describeProgramNetwork),
    approval: mapTexts(describeApproval(policy), (text) => redactor.text(text)) as never,
    repositories: describeRepositories(services),
  }
}

function describeProgramNetwork({ name, network, when, locate }: ProgramNetwork) {
  const lists = Object.entries(when).filter(([, list]) => Array.isArray(list))
  return { name, network, when: Object.fromEntries(lists) as never, place: locate() }
}

function describeApproval({ approval }: Policy): DescribePolicyResult['approval'] {
  if (!approval) return null
  const { timeoutMs: timeout_ms, locate, ...how } = approval
  return { ...how, timeout_ms, place: locate() } as never
}

function describeRepositories({
  repositories,
  config,
}: Pick<Services, 'repositories' | 'config'>): DescribePolicyResult['repositories'] {
  type View = DescribePolicyResult['repositories'][number]
  return repositories.names().flatMap((name): View[] => {
    const setting = config.repositories[name]
    if (!setting) return []
    try {
      return [{ ...repositories.find(name), problem: null }]
    } catch (error) {
      return [{ name, ...setting, problem: toSkillsError(error).message }]
    }
  })
}
