import { invalidParamError, SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { selectLoadsForRequest } from '../../skill-context/change-loads.ts'
import { getLoadMode } from '../../skill-context/enter-turn.ts'
import { deriveSessionKey } from '../../skill-context/session-key.ts'
import {
  DEFAULT_AGENT,
  getAgentLoads,
  listLoadedSkills,
  type AgentLoads,
  type SessionState,
} from '../../skill-context/session-state.ts'
import type { SessionListing } from '../../skill-context/session-store.ts'
import { isOwnSession } from '../../skill-context/update-session.ts'
import { describeSessionOwner } from '../list-sessions/describe-owner.ts'
import { getNextMessageCount, listLoaded } from '../skill-context/handler.ts'
import { resolveProfile } from '../define-method.ts'
import { composeSessionRequest } from './compose-request.ts'
import type { DescribeSessionParams, DescribeSessionResult } from './definition.ts'

type DescribeServices = Pick<Services, 'repository' | 'sessions' | 'config' | 'offloader'>

/** `describe_session`: shows the loads of a session and the content of its next request. */
export async function describeSession(
  services: DescribeServices,
  params: DescribeSessionParams,
  call: RunCall,
): Promise<DescribeSessionResult> {
  const { listing, state } = await findSession(services, params, call)
  const agent = params.agent ?? state.agents.at(-1)?.agent ?? DEFAULT_AGENT
  const stored = getAgentLoads(state, agent)
  // The next request of an agent with load mode "once" lacks what was shown before.
  const mode = getLoadMode(stored)
  const loads = selectLoadsForRequest(stored, mode, getNextMessageCount(stored))
  const { profile: named = 'agent', format = 'openai' } = params
  const profile = resolveProfile(named)
  const { parts, request } = await composeSessionRequest(services, {
    loads,
    profile,
    format,
    isLibrary: state.owner?.door === 'library',
    call,
  })
  return {
    ...describeSessionOwner(listing, state.owner),
    agent,
    agents: state.agents.map(countLoaded),
    load_mode: mode,
    max_loaded: loads.maxLoaded ?? null,
    turn: loads.turn ?? null,
    skills: listLoaded(loads),
    parts,
    files: (state.files ?? []).map(({ path, mimeType, sizeBytes }) => ({
      path,
      mime_type: mimeType,
      size_bytes: sizeBytes,
    })),
    request,
  }
}

function countLoaded(loads: AgentLoads) {
  return { agent: loads.agent, loaded: listLoadedSkills(loads).length }
}

interface FoundSession {
  listing: SessionListing
  state: SessionState
}

/** Finds a session that the caller may see. One of another caller is unknown to it. */
async function findSession(
  services: Pick<Services, 'sessions'>,
  { session, id }: DescribeSessionParams,
  { caller }: RunCall,
): Promise<FoundSession> {
  if ((session === undefined) === (id === undefined)) {
    throw invalidParamError('session', "expected either 'session' or 'id'")
  }
  const key = id ?? deriveSessionKey(session ?? '', caller?.name)
  const store = await services.sessions()
  const listing = (await store.list()).find((each) => each.key === key)
  const state = listing && (await store.read(key))
  if (listing && state && (caller?.isOperator === true || isOwnSession(state.owner, caller))) {
    return { listing, state }
  }
  throw new SkillsError('session/not-found', `Unknown session "${session ?? id}"`, {
    hint: 'Call list_sessions, or type "skills agent ls"',
  })
}
