import { neutralSkills, type NeutralMessage } from '../../agent/adapters/neutral.ts'
import type { AgentSession } from '../../agent/session.ts'
import type { ToolAnswer } from '../../agent/tool-call.ts'
import { fromProviderName } from '../../core/tool-formats/tool-names.ts'
import type { Plain } from '../../core/skills/manifest/manifest.ts'
import type {
  RecordedMessage,
  RecordedModelRequest,
  RecordedToolCall,
  RecordedTurn,
} from '../../core/testing/expectations/conversation/record.ts'
import type { ScriptedCall, ScriptedTurn } from '../../core/testing/suites/suite.ts'

interface PlayOptions {
  /** First message of the user, if the script has none. */
  prompt: string
  signal: AbortSignal
  /** Receives each request with its answer, so that a conversation that is ended has the earlier ones. */
  onTurn: (turn: RecordedTurn) => void
}

/** Plays the answers of a scripted model: each request is composed, and each call is executed. */
export async function playConversation(
  session: AgentSession,
  turns: readonly ScriptedTurn[],
  { prompt, signal, onTurn }: PlayOptions,
): Promise<void> {
  const skills = neutralSkills(session)
  const messages: NeutralMessage[] = []
  for (const [at, { user = at === 0 ? prompt : undefined, text, calls }] of turns.entries()) {
    if (user !== undefined) {
      messages.push({ role: 'user', content: user })
      await session.beginTurn()
    }
    const request = recordRequest(await skills.request(messages))
    // Arguments arrive as JSON text, as those of a model do.
    const sent = calls.map(({ tool, args }, number) => {
      return { id: `call-${at + 1}-${number + 1}`, name: tool, arguments: JSON.stringify(args) }
    })
    messages.push({ role: 'assistant', content: text, ...(sent.length > 0 && { calls: sent }) })
    const answers = await Promise.all(
      sent.map(async (each) => {
        // A session answers a call of an unknown tool with an error for the model.
        return await session.call({ ...each, name: fromProviderName(each.name) }, { signal })
      }),
    )
    signal.throwIfAborted()
    messages.push(...answers.map(toResultMessage))
    const recorded = answers.map((answer, number) => recordCall(calls[number], answer))
    onTurn({ request, answer: { text, calls: recorded } })
  }
  if ((turns.at(-1)?.calls.length ?? 0) === 0) return
  onTurn({ request: recordRequest(await skills.request(messages)), answer: undefined })
}

function toResultMessage({ id, text, isError }: ToolAnswer): NeutralMessage {
  return { role: 'tool', call: id, content: text, ...(isError && { isError }) }
}

function recordCall(
  call: ScriptedCall | undefined,
  { name, text, value, isError }: ToolAnswer,
): RecordedToolCall {
  return {
    tool: name,
    args: call?.args ?? {},
    text,
    value: value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Plain),
    isError,
  }
}

function recordRequest({
  messages,
  tools,
}: {
  messages: readonly NeutralMessage[]
  tools: readonly { name: string }[]
}): RecordedModelRequest {
  return { tools: tools.map(({ name }) => name), messages: messages.map(recordMessage) }
}

function recordMessage(message: NeutralMessage): RecordedMessage {
  const calls = message.role === 'assistant' ? (message.calls ?? []) : []
  const lines = calls.map(({ name, arguments: args }) => `call ${name} ${String(args)}`)
  const parts = [message.content, ...lines].filter((part) => part !== '')
  return { role: message.role, text: parts.join('\n') }
}
