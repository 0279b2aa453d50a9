import type { MethodName } from '../core/methods/definitions.ts'
import type { Method } from '../core/methods/method.ts'
import { takesSession } from '../core/tool-formats/tool-definition.ts'
import type { CommandRules } from '../core/skill-context/prompt/command-rules.ts'
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
  /** True if calls may have secrets and an environment of their own. */
  readonly takesCallValues?: boolean
  /** The operator's rules for commands; undefined for a remote runtime. */
  readonly commandRules?: CommandRules
  /** Ends the commands and the sandbox of a session; its files remain. */
  endSession?(id: string): Promise<void>
  /** Runs a tool that does not change loads; parameters are already validated. */
  call(method: Method, params: object, options: HostCall): Promise<unknown>
  /** Skills that cannot be used, with the reasons. */
  problems?(): Promise<readonly { path: string; message: string }[]>
  /** Removes paths of the host from a message for a model. */
  maskPaths?(text: string): string
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
  /** Values of the application for this call; a run gets the secrets that its skills declare. */
  secrets?: ReadonlyMap<string, string> | undefined
  environment?: Readonly<Record<string, string>> | undefined
  session: ToolSession
  /** Tools of the session, by name. */
  offered: ReadonlyMap<string, unknown>
}

/** Calls a method that is not necessarily a tool of the session. */
export type CallHost = (method: Method, params: object) => Promise<unknown>

/** Calls a tool for a session. `shareLoads` runs first if the tool requires loaded skills. */
export async function callInSession(
  handle: RuntimeHandle,
  {
    method,
    params,
    session,
    offered,
    signal,
    ...values
  }: HostCall & { method: Method; params: object },
  shareLoads: () => Promise<void>,
): Promise<unknown> {
  const isNamed = takesSession(method, offered.keys())
  if (isNamed) await shareLoads()
  const { id, agent, requireLoaded } = session
  const sessionParams = Object.entries({ session: id, agent, require_load: requireLoaded })
  const own = sessionParams.filter(
    ([name]) => method.callerParams?.includes(name) && (name !== 'session' || isNamed),
  )
  const all = { ...params, ...Object.fromEntries(own) }
  const grants = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  )
  const io = { grants, ...(signal && { signal }) }
  return await handle.call(method.name as MethodName, all, io)
}
