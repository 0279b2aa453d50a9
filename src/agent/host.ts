import type { MethodName } from '../core/methods/definitions.ts'
import type { Method } from '../core/methods/method.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import type { AgentLoads } from '../core/skill-context/session-state.ts'
import type { SkillReader } from '../core/skill-context/skill-reader.ts'
import type { RuntimeHandle } from '../runtime-handle/handle.ts'

/** Where an agent's skills are: this process, or a runtime elsewhere. */
export interface SkillHost {
  /** Each skill once, its newest version, ordered by name. */
  skills(): Promise<readonly SkillSummary[]>
  /** Where bodies and documents are read. */
  readonly repository: SkillReader
  /** Runs a tool that is not about what is loaded; parameters are checked already. */
  call(method: Method, params: object, options: HostCall): Promise<unknown>
  /** The same host, with only those skills that a filter lets through. */
  filtered(isVisible: SkillFilter): SkillHost
}

export type SkillFilter = (skill: SkillSummary) => boolean

/** The conversation that a tool is used in. */
export interface ToolSession {
  id: string
  agent: string
  loads: AgentLoads
  /** Whether commands of a skill are refused unless it was loaded. */
  requireLoaded: boolean
}

export interface HostCall {
  signal?: AbortSignal | undefined
  session: ToolSession
}

/** Calls a tool for a session. A tool that asks for loaded skills is called after `shareLoads`. */
export async function callInSession(
  handle: RuntimeHandle,
  { method, params, signal, session }: HostCall & { method: Method; params: object },
  shareLoads: () => Promise<void>,
): Promise<unknown> {
  if (method.callerParams?.includes('session')) await shareLoads()
  const { id, agent, requireLoaded } = session
  const given = Object.entries({ session: id, agent, require_load: requireLoaded })
  const own = given.filter(([name]) => method.callerParams?.includes(name))
  const all = { ...params, ...Object.fromEntries(own) }
  return await handle.call(method.name as MethodName, all, { ...(signal && { signal }) })
}
