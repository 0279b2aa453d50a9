import { basename, dirname } from 'node:path'
import { createAgentSession, type AgentSession } from '../../agent/session.ts'
import type { ToolChoice } from '../../agent/profiles.ts'
import { SkillsError } from '../../errors.ts'
import { EMPTY_RECORD, type CaseRecord } from '../../core/testing/expectations/case-record.ts'
import type { RecordedTurn } from '../../core/testing/expectations/conversation/record.ts'
import type { ConversationAction } from '../../core/testing/suites/suite.ts'
import { getWorkspaceKey } from '../../core/workspaces/commands/skill-command.ts'
import type { CaseContext, CasePerformer } from './case-performer.ts'
import { openConversationHost, type ConversationHost } from './conversation-host.ts'
import { findMount } from './offer-skills.ts'
import { playConversation } from './play-conversation.ts'
import { readBlobs } from './read-blobs.ts'
import { recordWorkspace, writeSetupFiles } from './session-workspace.ts'
import { watchRuns, type WatchedRuns } from './watch-runs.ts'

/** Plays a scripted model in a session of an agent, whose tools are real. */
export const performConversationCase: CasePerformer<ConversationAction> = async (
  action,
  context,
) => {
  const watched = watchRuns()
  const opened = await openSession(action, context, watched)
  if ('refusal' in opened) {
    const { code: type, message, hint } = opened.refusal
    const error = { type, message, ...(hint && { hint }) }
    return { ...EMPTY_RECORD, secrets: context.testCase.secrets, status: 'refused', error }
  }
  const { services, call, testCase, needs } = context
  const { session } = opened
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session.id, call), call, async (workspace) => {
    writeSetupFiles(await workspace.tree(), testCase)
    let played: PlayedConversation
    try {
      played = await playToEnd(session, action, context)
    } finally {
      await session.end()
    }
    const { files, calls } = await recordWorkspace(workspace, context)
    return {
      ...EMPTY_RECORD,
      ...played,
      secrets: testCase.secrets,
      logs: watched.readLogs(),
      network: watched.network,
      isolation: watched.readIsolation(),
      blobs: needs.has('blobs') ? await readBlobs(services, watched.blobIds) : [],
      files,
      calls: [...calls, ...opened.calls],
    }
  })
}

type OpenedSession =
  | ({ session: AgentSession } & Pick<ConversationHost, 'calls'>)
  | { refusal: SkillsError }

/** Opens a session that sees only the mounted skills. */
async function openSession(
  { mounts, tools }: ConversationAction,
  context: CaseContext,
  watched: WatchedRuns,
): Promise<OpenedSession> {
  try {
    const entries = await Promise.all(mounts.map(async (each) => await findMount(context, each)))
    const { host, calls } = openConversationHost(context, entries, watched)
    // The folder of an attempt has a name of its own in a test run.
    const id = basename(dirname(context.folder))
    return { session: createAgentSession({ host, id, tools: tools as ToolChoice }), calls }
  } catch (thrown) {
    if (thrown instanceof SkillsError) return { refusal: thrown }
    throw thrown
  }
}

type PlayedConversation = Pick<CaseRecord, 'status' | 'error' | 'conversation' | 'durationMs'>

/** Plays the whole script, within the time limit of the case. */
async function playToEnd(
  session: AgentSession,
  { turns }: ConversationAction,
  { testCase, call }: CaseContext,
): Promise<PlayedConversation> {
  const startedAt = performance.now()
  const { name, timeoutMs } = testCase
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signals = [call.signal, limit].filter((each) => each !== undefined)
  const recorded: RecordedTurn[] = []
  const finish = (end: Pick<CaseRecord, 'status' | 'error'>): PlayedConversation => ({
    ...end,
    conversation: { turns: recorded, loaded: session.loaded },
    durationMs: performance.now() - startedAt,
  })
  try {
    const onTurn = (turn: RecordedTurn) => void recorded.push(turn)
    await playConversation(session, turns, {
      prompt: name,
      signal: AbortSignal.any(signals),
      onTurn,
    })
    return finish({ status: 'completed', error: undefined })
  } catch (thrown) {
    if (limit?.aborted !== true || call.signal?.aborted === true) throw thrown
    const message = 'The conversation ran into the time limit of its case'
    return finish({ status: 'failed', error: { type: 'Timeout', message } })
  }
}
