import { enterTurn, optionsOf } from '../../loads/enter-turn.ts'
import { selectDocs, type SelectRequest, type SelectResult } from '../../loads/load-skill.ts'
import { knownTexts } from '../../loads/known-texts.ts'
import { renderText } from '../../loads/render-text.ts'
import { sessionKey } from '../../loads/session-key.ts'
import { loadsOf, withLoads, type AgentLoads } from '../../loads/session-state.ts'
import type { RunCall } from '../../run/run-call.ts'
import type { Runtime } from '../../runtime.ts'
import { splitLoading, type Loading } from '../skill-load/run.ts'

export type SkillSelectDocsParams = SelectRequest & Loading
export type SkillSelectDocsResult = SelectResult & { content?: string }

/** Changes which documents of a skill a session's agent sees. */
export async function skillSelectDocs(
  runtime: Pick<Runtime, 'repository' | 'sessions'>,
  params: SkillSelectDocsParams,
  call: Pick<RunCall, 'caller'>,
): Promise<SkillSelectDocsResult> {
  const { session, agent, withContent, call: id, turn, request } = splitLoading(params)
  const key = sessionKey(session, call.caller)
  const sessions = await runtime.sessions()
  return await sessions.update(key, async (state) => {
    const before = enterTurn(loadsOf(state, agent), turn)
    const at = { repository: runtime.repository, loads: before }
    const options = { call: id, ...optionsOf(before) }
    const { loads, texts, result } = await selectDocs(at, request, options)
    knownTexts(runtime.repository).keep(result.skill, texts)
    const shown = new Set(partsOf(at.loads, result.skill))
    const added = texts.filter(({ doc, digest }) => doc !== null && !shown.has(`${doc} ${digest}`))
    const content = added.map((text) => renderText(result.skill, text)).join('\n\n')
    const value = withContent && content !== '' ? { ...result, content } : result
    return { state: withLoads(state, loads), value }
  })
}

function partsOf({ parts }: AgentLoads, skill: string): string[] {
  return parts.filter((part) => part.skill === skill).map(({ doc, digest }) => `${doc} ${digest}`)
}
