import { loadSkill, type LoadRequest } from '../../loads/load-skill.ts'
import { renderText } from '../../loads/render-text.ts'
import { sessionKey } from '../../loads/session-key.ts'
import { DEFAULT_AGENT, loadsOf, withLoads } from '../../loads/session-state.ts'
import type { RunCall } from '../../run/run-call.ts'
import type { Runtime } from '../../runtime.ts'

export interface InSession {
  /** Chosen by the caller; what was loaded is remembered under it. */
  session: string
  agent?: string | undefined
}

export interface WithContent {
  /** For callers that put no loaded content into requests themselves. */
  include_content?: boolean | undefined
}

export type SkillLoadParams = LoadRequest & InSession & WithContent

/** Remembers that a session's agent has loaded a skill, and which documents of it. */
export async function skillLoad(
  runtime: Pick<Runtime, 'repository' | 'sessions'>,
  params: SkillLoadParams,
  call: Pick<RunCall, 'caller'>,
): Promise<string> {
  const { session, agent = DEFAULT_AGENT, include_content: withContent, ...request } = params
  const key = sessionKey(session, call.caller)
  const sessions = await runtime.sessions()
  return await sessions.update(key, async (state) => {
    const at = { repository: runtime.repository, loads: loadsOf(state, agent) }
    const { loads, texts } = await loadSkill(at, request)
    const skill = params.skill.trim()
    const content = withContent ? texts.map((text) => renderText(skill, text)) : []
    return { state: withLoads(state, loads), value: [`loaded: ${skill}`, ...content].join('\n\n') }
  })
}
