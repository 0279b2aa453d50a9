import { selectLoadsForRequest } from '../../skill-context/change-loads.ts'
import { applyDeclaredLoads } from '../../skill-context/declared-loads.ts'
import { enterTurn, getLoadMode, getLoadOptions } from '../../skill-context/enter-turn.ts'
import { getTextCache } from '../../skill-context/text-cache.ts'
import { placeParts } from '../../skill-context/place-parts.ts'
import {
  DEFAULT_AGENT,
  getAgentLoads,
  replaceAgentLoads,
  type AgentLoads,
} from '../../skill-context/session-state.ts'
import type { CommandRules } from '../../skill-context/prompt/command-rules.ts'
import { renderGuidance } from '../../skill-context/prompt/guidance.ts'
import { renderOverview } from '../../skill-context/prompt/overview.ts'
import { summariseSkills } from '../../skill-context/prompt/summarise-skills.ts'
import { openLoadedTexts } from '../../skill-context/open-loaded-texts.ts'
import { updateSession } from '../../skill-context/update-session.ts'
import { removeGuide } from '../../skills/repository/remove-guide.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { SkillsError } from '../../../errors.ts'
import { joinText } from '../../../util/join-text.ts'
import { describeRenamedProfile, findRenamedProfile, resolveProfile } from '../define-method.ts'
import { PROFILES } from '../profiles.ts'
import type { SkillContextParams, SkillContextResult } from './definition.ts'

type ContextServices = Pick<Services, 'repository' | 'sessions'>

/**
 * `skill_context`: returns the skill content of an agent's next request. Loads with mode "once" are
 * used up by it.
 */
export async function skillContext(
  services: ContextServices,
  params: SkillContextParams,
  { caller }: Pick<RunCall, 'caller'> = {},
): Promise<SkillContextResult> {
  const { session, agent = DEFAULT_AGENT, peek } = params
  if (params.max_overview !== undefined && params.profile === undefined) {
    throw createParamError('max_overview', 'there is no list without a profile', "Set 'profile'")
  }
  const sessions = await services.sessions()
  const loads = await updateSession(sessions, { session, caller }, async (state) => {
    const before = getAgentLoads(state, agent)
    const after = await applyTurnLoads(services, enterTurn(before, params), params)
    const shown = selectLoadsForRequest(
      after,
      getLoadMode(after),
      params.messages ?? getNextMessageCount(after),
    )
    const saved = peek ? after : shown
    return { state: saved === before ? state : replaceAgentLoads(state, saved), value: shown }
  })
  const contents = await openLoadedTexts(loads, services.repository)
  const placed = placeParts(loads, {
    placement: params.placement ?? 'tool-results',
    results: new Set(params.tool_results),
    render: (part) => contents.render(part),
  })
  const { turn, maxLoaded } = loads
  return {
    system: joinText(...(await renderOpening(services, params)), placed.system),
    results: Object.fromEntries(placed.results),
    loaded: listLoaded(loads),
    load_mode: getLoadMode(loads),
    ...(maxLoaded !== undefined && { max_loaded: maxLoaded }),
    ...(turn !== undefined && { turn }),
    ...reportRenamedProfile(params),
  }
}

function reportRenamedProfile({ profile }: SkillContextParams): { notices?: string[] } {
  if (profile === undefined) return {}
  const renamed = findRenamedProfile(profile)
  return renamed === undefined ? {} : { notices: [describeRenamedProfile(profile, renamed)] }
}

function createParamError(param: string, reason: string, hint: string): SkillsError {
  return new SkillsError('params/invalid', `Invalid params: '${param}': ${reason}`, {
    hint,
    data: { param, reason },
  })
}

/** Loads the skills that a turn declares, once per turn. */
async function applyTurnLoads(
  { repository }: ContextServices,
  loads: AgentLoads,
  { loads: declared = [], turn }: SkillContextParams,
): Promise<AgentLoads> {
  if (declared.length === 0) return loads
  if (turn === undefined) {
    const hint = "Set 'turn' to the turn that starts with these skills"
    throw createParamError('loads', 'there is no turn to start', hint)
  }
  if (loads.declared === turn) return loads
  const requests = declared.map(({ skill: name, docs, include_all_docs: includeAllDocs }) => ({
    name,
    ...(docs && { docs }),
    ...(includeAllDocs !== undefined && { includeAllDocs }),
  }))
  const applied = await applyDeclaredLoads(
    { repository, loads, ...getLoadOptions(loads) },
    requests,
  )
  for (const { skill, texts } of applied.changes) getTextCache(repository).add(skill, texts)
  return { ...applied.loads, declared: turn }
}

/** Used if the caller passes no message count: each call then counts as a new request. */
export function getNextMessageCount({ parts }: AgentLoads): number {
  return 1 + Math.max(0, ...parts.map((part) => part.shownAt ?? 0))
}

/** Renders the list of skills and the rules, if requested. */
export async function renderOpening(
  { repository }: Pick<Services, 'repository'>,
  params: Pick<SkillContextParams, 'profile' | 'max_overview' | 'guidance'>,
  rules?: CommandRules,
): Promise<string[]> {
  const { profile, max_overview: max, guidance } = params
  if (profile === undefined) return guidance === undefined ? [] : [guidance.trim()]
  const tools = PROFILES[resolveProfile(profile)]
  const skills = removeGuide(summariseSkills(await repository.list()))
  if (skills.length === 0 && !tools.includes('list_skills')) return []
  return [renderOverview(skills, { max }), guidance?.trim() ?? renderGuidance(tools, rules)]
}

export function listLoaded({ skills }: AgentLoads): SkillContextResult['loaded'] {
  return skills
    .filter((each) => each.loaded)
    .map(({ name: skill, docs }) => ({
      skill,
      ...(docs === '*' ? { include_all_docs: true as const } : {}),
      ...(docs !== '*' && docs.length > 0 && { selected_docs: docs }),
    }))
}
