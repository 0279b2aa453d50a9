import { neutralSkills, type NeutralMessage } from '../../agent/adapters/neutral.ts'
import type { AgentSession } from '../../agent/session.ts'
import type { Budget } from '../model/budget.ts'
import { CeilingReachedError } from '../model/budget.ts'
import type { AssistantMessage, EvalModel } from '../model/eval-model.ts'
import type { ConversationEnd, TrajectoryCall, TrajectoryEvent } from './trajectory.ts'

/** Greatest length of one answer. */
export const MAX_OUTPUT_TOKENS = 4096

export interface ConverseOptions {
  session: AgentSession
  model: EvalModel
  budget: Budget
  prompt: string
  systemPrompt: string | undefined
  maxTurns: number
  timeoutMs: number
  signal: AbortSignal
  onEvent: (event: TrajectoryEvent) => void
  /** Ends the conversation after an answer, before its calls are executed. */
  isDone?: (calls: readonly TrajectoryCall[]) => boolean
}

/** Holds a conversation of a model with the tools of a session, and reports each step. */
export async function converse(options: ConverseOptions): Promise<void> {
  const startedAt = performance.now()
  const { timeoutMs, signal, onEvent } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const end = (reason: ConversationEnd, message: string | null = null) =>
    onEvent({
      type: 'end',
      reason,
      message,
      duration_ms: Math.round(performance.now() - startedAt),
    })
  try {
    end(await talk({ ...options, signal: AbortSignal.any([signal, timeout]) }))
  } catch (thrown) {
    if (signal.aborted) end('interrupted')
    else if (timeout.aborted) end('timeout')
    else if (thrown instanceof CeilingReachedError) end('ceiling')
    else end('model_error', (thrown as Error).message)
  }
}

async function talk(options: ConverseOptions): Promise<ConversationEnd> {
  const { session, model, budget, prompt, systemPrompt, maxTurns, signal, onEvent } = options
  const skills = neutralSkills(session)
  const messages: NeutralMessage[] = [
    ...(systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt }]),
    { role: 'user', content: prompt },
  ]
  onEvent({ type: 'user', text: prompt })
  await session.beginTurn()
  for (let turn = 0; turn < maxTurns; turn++) {
    const request = await skills.request(messages)
    const answer = await budget.request(model, {
      ...request,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      signal,
    })
    messages.push(answer.message)
    const calls = reportAnswer(answer.message, answer.usage ?? null, onEvent)
    if (calls.length === 0) return 'completed'
    if (options.isDone?.(calls)) return 'chosen'
    const results = await skills.answer(answer.message, {
      signal,
      own: async ({ name }) => `Error: Unknown tool "${name}"`,
    })
    signal.throwIfAborted()
    reportResults(results, calls, onEvent)
    messages.push(...results)
  }
  return 'max_turns'
}

function reportAnswer(
  { content, calls = [] }: AssistantMessage,
  usage: Extract<TrajectoryEvent, { type: 'assistant' }>['usage'],
  onEvent: ConverseOptions['onEvent'],
): TrajectoryCall[] {
  const plain = calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
  onEvent({ type: 'assistant', text: content, calls: plain, usage })
  return plain
}

function reportResults(
  results: readonly NeutralMessage[],
  calls: readonly TrajectoryCall[],
  onEvent: ConverseOptions['onEvent'],
): void {
  for (const result of results) {
    if (result.role !== 'tool') continue
    const { call, content: text, isError = false } = result
    const name = calls.find(({ id }) => id === call)?.name ?? ''
    onEvent({ type: 'tool', call, name, text, is_error: isError })
  }
}
