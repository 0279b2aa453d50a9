import { enterTurn, getLoadOptions } from '../../skill-context/enter-turn.ts'
import { selectDocs, type SelectRequest } from '../../skill-context/load-skill.ts'
import { getTextCache } from '../../skill-context/text-cache.ts'
import { renderLoadedText } from '../../skill-context/render-text.ts'
import { updateSession } from '../../skill-context/update-session.ts'
import {
  getAgentLoads,
  replaceAgentLoads,
  type AgentLoads,
} from '../../skill-context/session-state.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { LoadingParams } from '../session-params.ts'
import { splitLoadingParams } from '../skill-load/handler.ts'
import type { SkillSelectDocsResult } from './definition.ts'

/** `skill_select_docs`: changes which documents of a skill an agent sees. */
export async function skillSelectDocs(
  services: Pick<Services, 'repository' | 'sessions'>,
  params: SelectRequest & LoadingParams,
  { caller }: Pick<RunCall, 'caller'> = {},
): Promise<SkillSelectDocsResult> {
  const { session, agent, withContent, call: id, turn, request } = splitLoadingParams(params)
  return await updateSession(await services.sessions(), { session, caller }, async (state) => {
    const before = enterTurn(getAgentLoads(state, agent), turn)
    const context = { repository: services.repository, loads: before }
    const options = { call: id, ...getLoadOptions(before) }
    const { loads, texts, result } = await selectDocs(context, request, options)
    getTextCache(services.repository).add(result.skill, texts)
    const shown = new Set(listPartKeys(context.loads, result.skill))
    const added = texts.filter(({ doc, digest }) => doc !== null && !shown.has(`${doc} ${digest}`))
    const content = added.map((text) => renderLoadedText(result.skill, text)).join('\n\n')
    const value = withContent && content !== '' ? { ...result, content } : result
    return { state: replaceAgentLoads(state, loads), value }
  })
}

function listPartKeys({ parts }: AgentLoads, skill: string): string[] {
  return parts.filter((part) => part.skill === skill).map(({ doc, digest }) => `${doc} ${digest}`)
}
