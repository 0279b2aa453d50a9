import type { MethodName } from '../core/methods/definitions.ts'
import type { Method } from '../core/methods/method.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import type { AgentLoads } from '../core/skill-context/session-state.ts'
import type { SkillReader } from '../core/skill-context/skill-reader.ts'
import type { RuntimeHandle } from '../runtime-handle/handle.ts'

/** Source of an agent's skills: this process or a remote runtime. */
export interface SkillHost {
  /** The newest version of each skill, ordered by name. */
  skills(): Promise<readonly SkillSummary[]>
  /** Reader for bodies and documents. */
  readonly repository: SkillReader
  /** Runs a tool that does not change loads; parameters are already validated. */
  call(method: Method, params: object, options: HostCall): Promise<unknown>
  /** The same host, restricted to the skills that pass a filter. */
  filtered(isVisible: SkillFilter): SkillHost
}

export type SkillFilter = (skill: SkillSummary) => boolean

/** The conversation that calls a tool. */
export interface ToolSession {
  id: string
  agent: string
  loads: AgentLoads
  /** True if commands of a skill are rejected until the skill is loaded. */
  requireLoaded: boolean
}

export interface HostCall {
  signal?: AbortSignal | undefined
  session: ToolSession
}

/** Calls a tool for a session. `shareLoads` runs first if the tool requires loaded skills. */
export async function callInSession(
  handle: RuntimeHandle,
  { method, params, signal, session }: HostCall & { method: Method; params: object },
  shareLoads: () => Promise<void>,
): Promise<unknown> {
  if (method.callerParams?.includes('session')) await shareLoads()
  const { id, agent, requireLoaded } = session
  const sessionParams = Object.entries({ session: id, agent, require_load: requireLoaded })
  const own = sessionParams.filter(([name]) => method.callerParams?.includes(name))
  const all = { ...params, ...Object.fromEntries(own) }
  return await handle.call(method.name as MethodName, all, { ...(signal && { signal }) })
}
