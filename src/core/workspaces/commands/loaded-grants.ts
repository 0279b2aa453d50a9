import { SkillsError } from '../../../errors.ts'
import { evaluatePolicy } from '../../policy/evaluate-policy.ts'
import { describePolicyRequest } from '../../runs/describe-request.ts'
import type { ProgramJob } from '../../runs/job.ts'
import { resolvePermissions } from '../../runs/resolve-permissions.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'

/**
 * Selects the loaded skills whose network and secrets a command gets: all that declare some, or none
 * if the policy would refuse the command because of them. Returns why not, too.
 */
export async function selectLoadedGrants(
  services: Services,
  loaded: readonly MountedSkill[],
  { plan, call }: { plan: Omit<ProgramJob, 'sinks'>; call: RunCall },
): Promise<{ skills: readonly MountedSkill[]; warnings: readonly string[] }> {
  const declaring = loaded.filter(({ manifest: { permissions } }) => {
    return permissions.network.length + permissions.secrets.length > 0
  })
  if (declaring.length === 0) return { skills: [], warnings: [] }
  // The packages of a skill are for its own commands.
  const skills = declaring.map((each) => ({
    ...each,
    manifest: { ...each.manifest, dependencies: undefined },
  }))
  const refusal = await findRefusal(services, { ...plan, skills }, call)
  if (refusal === undefined) return { skills, warnings: [] }
  // A command that is refused anyway reports its own reason.
  if ((await findRefusal(services, { ...plan, skills: [] }, call)) !== undefined) {
    return { skills: [], warnings: [] }
  }
  const names = declaring.map(({ manifest }) => manifest.name).join(', ')
  const warning = `This command has neither network nor secrets of the loaded skills ${names}: ${refusal}`
  return { skills: [], warnings: [warning] }
}

/** Returns the reason for which a command would be refused. */
async function findRefusal(
  services: Services,
  plan: Omit<ProgramJob, 'sinks'>,
  call: RunCall,
): Promise<string | undefined> {
  const sinks = { stdout: () => {}, stderr: () => {} }
  try {
    const job = { ...plan, sinks }
    const permissions = await resolvePermissions(services, job, call)
    const facts = describePolicyRequest(
      { job: { ...job, skills: permissions.skills }, call },
      permissions.decision.network,
      services.config.run.environment,
    )
    const { allowed, denials } = evaluatePolicy(facts, await services.policy())
    return allowed ? undefined : denials.map(({ sentence }) => sentence).join('; ')
  } catch (error) {
    if (error instanceof SkillsError && error.code === 'policy/denied') return error.message
    throw error
  }
}
