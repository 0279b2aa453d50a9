import { selectDocs, type SelectRequest, type SelectResult } from '../../loads/load-skill.ts'
import { sessionKey } from '../../loads/session-key.ts'
import { DEFAULT_AGENT, loadsOf, withLoads } from '../../loads/session-state.ts'
import type { RunCall } from '../../run/run-call.ts'
import type { Runtime } from '../../runtime.ts'
import type { InSession } from '../skill-load/run.ts'

export type SkillSelectDocsParams = SelectRequest & InSession

/** Changes which documents of a skill a session's agent sees. */
export async function skillSelectDocs(
  runtime: Pick<Runtime, 'repository' | 'sessions'>,
  params: SkillSelectDocsParams,
  call: Pick<RunCall, 'caller'>,
): Promise<SelectResult> {
  const { session, agent = DEFAULT_AGENT, ...request } = params
  const key = sessionKey(session, call.caller)
  const sessions = await runtime.sessions()
  return await sessions.update(key, async (state) => {
    const at = { repository: runtime.repository, loads: loadsOf(state, agent) }
    const { loads, result } = await selectDocs(at, request)
    return { state: withLoads(state, loads), value: result }
  })
}
