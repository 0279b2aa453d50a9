import type { Method } from '../../core/methods/method.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { Services } from '../../core/services.ts'
import { deriveSessionKey } from '../../core/skill-context/session-key.ts'
import {
  DEFAULT_AGENT,
  getAgentLoads,
  listLoadedSkills,
} from '../../core/skill-context/session-state.ts'
import { splitReference } from '../../core/skills/reference.ts'
import type { MountedSkill } from '../../core/skills/mounted-skill.ts'
import { applyGrants } from '../../core/skills/uploads/apply-grants.ts'

/** Parameters that name skills, of all methods that start runs of them. */
interface SkillParams {
  name?: unknown
  version?: unknown
  mount_skills?: unknown
  skill?: unknown
  session?: unknown
  agent?: unknown
}

interface CollectedCall {
  method: Pick<Method, 'name'>
  params: unknown
  call: RunCall
}

/** Methods whose command has the secrets of one skill. */
const OF_SKILLS: ReadonlySet<string> = new Set(['skill_run', 'skill_exec', 'workspace_exec'])

/**
 * Collects the secrets of this front that a call may use: those that the manifests of its skills declare,
 * and of uploaded skills only those that were granted. The worker decides again which of them a run gets.
 */
export async function collectSecrets(
  services: Services,
  collected: CollectedCall,
): Promise<ReadonlyMap<string, string>> {
  const named = listNamedSkills(collected)
  // A command of no skill has the secrets of all that its session has loaded.
  const usesSession = collected.method.name === 'workspace_exec' && named.length === 0
  if (!usesSession && named.length === 0) return new Map()
  const { config } = services
  const inherits = collected.method.name !== 'run_code' || config.run.codeInheritsPermissions
  const { file, command } = config.secrets
  if ((file === undefined && command.length === 0) || !inherits) return new Map()
  const references = usesSession ? await listSessionSkills(services, collected) : named
  const mounts = await Promise.all(
    references.map(async (reference) => await mountSkill(services, reference)),
  )
  const known = mounts.filter((mount) => mount !== undefined)
  const { mounts: granted } = await applyGrants(services, known)
  const names = granted.flatMap(({ manifest }) => manifest.permissions.secrets)
  return await (await services.secrets()).values([...new Set(names)], collected.call.env)
}

/** Skills that the parameters name, as name or as name@version. */
function listNamedSkills({ method: { name: method }, params }: CollectedCall): readonly string[] {
  const { name, version, mount_skills: mounts, skill } = params as SkillParams
  if (method === 'execute_skill' && typeof name === 'string') {
    return [typeof version === 'string' ? `${name}@${version}` : name]
  }
  if (method === 'run_code' && Array.isArray(mounts)) return mounts as string[]
  return OF_SKILLS.has(method) && typeof skill === 'string' ? [skill.trim()] : []
}

async function listSessionSkills(
  services: Services,
  { params, call }: CollectedCall,
): Promise<readonly string[]> {
  const { session, agent } = params as SkillParams
  if (typeof session !== 'string') return []
  const state = await (await services.sessions()).read(deriveSessionKey(session, call.caller?.name))
  return listLoadedSkills(getAgentLoads(state, typeof agent === 'string' ? agent : DEFAULT_AGENT))
}

/** Undefined for a skill that is not known: the worker reports it. */
async function mountSkill(
  { repository }: Services,
  reference: string,
): Promise<MountedSkill | undefined> {
  try {
    return await repository.mount(await repository.resolve(...splitReference(reference)))
  } catch {
    return undefined
  }
}
