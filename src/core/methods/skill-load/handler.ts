import { enterTurn, getLoadOptions } from '../../skill-context/enter-turn.ts'
import { loadSkill, type LoadRequest } from '../../skill-context/load-skill.ts'
import { getTextCache } from '../../skill-context/text-cache.ts'
import { renderLoadedText } from '../../skill-context/render-text.ts'
import { updateSession } from '../../skill-context/update-session.ts'
import {
  DEFAULT_AGENT,
  getAgentLoads,
  replaceAgentLoads,
} from '../../skill-context/session-state.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { LoadingParams } from '../session-params.ts'

/** Splits the parameters of a loading tool: session, turn options, and the tool's own request. */
export function splitLoadingParams<T extends LoadingParams>(params: T) {
  const { session, agent = DEFAULT_AGENT, include_content: withContent, ...others } = params
  const { turn, load_mode, max_loaded, call, ...request } = others
  return { session, agent, withContent, call, turn: { turn, load_mode, max_loaded }, request }
}

/** `skill_load`: records in the session that an agent loaded a skill and which documents of it. */
export async function skillLoad(
  services: Pick<Services, 'repository' | 'sessions'>,
  params: LoadRequest & LoadingParams,
  { caller }: Pick<RunCall, 'caller'> = {},
): Promise<string> {
  const { session, agent, withContent, call: id, turn, request } = splitLoadingParams(params)
  return await updateSession(await services.sessions(), { session, caller }, async (state) => {
    const before = enterTurn(getAgentLoads(state, agent), turn)
    const context = { repository: services.repository, loads: before }
    const options = { call: id, ...getLoadOptions(before) }
    const { loads, texts } = await loadSkill(context, request, options)
    const skill = params.skill.trim()
    getTextCache(services.repository).add(skill, texts)
    const content = withContent ? texts.map((text) => renderLoadedText(skill, text)) : []
    return {
      state: replaceAgentLoads(state, loads),
      value: [`loaded: ${skill}`, ...content].join('\n\n'),
    }
  })
}
