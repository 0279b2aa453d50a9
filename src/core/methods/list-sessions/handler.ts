import { invalidParamError, toSkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import {
  createSessionState,
  listLoadedSkills,
  type SessionState,
} from '../../skill-context/session-state.ts'
import type { SessionListing } from '../../skill-context/session-store.ts'
import { isOwnSession } from '../../skill-context/update-session.ts'
import type { ListSessionsParams, ListSessionsResult } from './definition.ts'
import { describeSessionOwner } from './describe-owner.ts'

const DEFAULT_LIMIT = 100
/** Sessions that one page reads: those of other callers must not occupy the server. */
const MAX_READ = 1000
const CURSOR = /^(\d+(?:\.\d+)?):([\w-]{1,100})$/

type SessionRow = ListSessionsResult['sessions'][number]

/** `list_sessions`: lists the sessions that the caller may see. */
export async function listSessions(
  services: Pick<Services, 'sessions'>,
  { limit = DEFAULT_LIMIT, cursor }: ListSessionsParams,
  { caller }: Pick<RunCall, 'caller'>,
): Promise<ListSessionsResult> {
  const store = await services.sessions()
  const left = skipPage(await store.list(), cursor)
  const sessions: SessionRow[] = []
  for (const [at, listing] of left.entries()) {
    const last = left[at - 1]
    if (last && (sessions.length === limit || at === MAX_READ)) {
      return { sessions, next_cursor: `${last.changedAt}:${last.key}` }
    }
    const { state, problem } = await readState(async () => await store.read(listing.key))
    if (caller?.isOperator !== true && !isOwnSession(state.owner, caller)) continue
    sessions.push(describeRow(listing, state, problem))
  }
  return { sessions, next_cursor: null }
}

/** A damaged state hides no other session, and shows its problem to an operator. */
async function readState(
  read: () => Promise<SessionState>,
): Promise<{ state: SessionState; problem: string | null }> {
  try {
    return { state: await read(), problem: null }
  } catch (error) {
    return { state: createSessionState(), problem: toSkillsError(error).message }
  }
}

function describeRow(
  listing: SessionListing,
  { owner, agents, files = [] }: SessionState,
  problem: string | null,
): SessionRow {
  const loaded = new Set(agents.flatMap(listLoadedSkills))
  return {
    ...describeSessionOwner(listing, owner),
    agents: agents.length,
    loaded: [...loaded],
    files: files.length,
    problem,
  }
}

function skipPage(
  listings: readonly SessionListing[],
  cursor: string | undefined,
): readonly SessionListing[] {
  if (cursor === undefined) return listings
  const [, changedAt, key = ''] = CURSOR.exec(cursor) ?? []
  if (changedAt === undefined) throw invalidParamError('cursor', 'expected the cursor of a page')
  const time = Number(changedAt)
  return listings.filter(
    (each) => each.changedAt < time || (each.changedAt === time && each.key > key),
  )
}
