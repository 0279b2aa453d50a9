import { joinText } from '../../util/join-text.ts'
import { answerCalls, type AnswerOptions } from '../answer-calls.ts'
import { readUserTexts, appendHints } from '../message-text.ts'
import type { AgentSession } from '../session.ts'
import type { ToolDefinition } from '../tool-definition.ts'

/** A provider-independent message. */
export type NeutralMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; calls?: readonly NeutralCall[] }
  | { role: 'tool'; call: string; content: string; isError?: boolean }

export interface NeutralCall {
  id: string
  name: string
  arguments: unknown
}

export interface NeutralRequest {
  messages: NeutralMessage[]
  tools: readonly ToolDefinition[]
}

/** Adapter for any model API: plain messages in, plain messages out. */
export interface NeutralSkills {
  /** The conversation with overview and loaded content, and the tools to offer. */
  request(messages: readonly NeutralMessage[]): Promise<NeutralRequest>
  /** Runs the tools that an assistant message calls. */
  answer(message: NeutralMessage, options?: AnswerOptions): Promise<NeutralMessage[]>
}

export function neutralSkills(session: AgentSession): NeutralSkills {
  return {
    async request(messages) {
      const results = new Set(messages.flatMap((each) => (each.role === 'tool' ? each.call : [])))
      const composed = await session.compose({
        length: messages.length,
        results,
        userTexts: readUserTexts(messages),
      })
      const shown = appendHints(messages, composed.hints).map((each): NeutralMessage => {
        const added = each.role === 'tool' ? composed.results.get(each.call) : undefined
        return added === undefined ? each : { ...each, content: joinText(each.content, added) }
      })
      return { messages: addSystemMessage(shown, composed.system), tools: await session.tools() }
    },
    async answer(message, options) {
      const calls = message.role === 'assistant' ? (message.calls ?? []) : []
      const answers = await answerCalls(session, calls, options)
      return answers.map(({ id, text, isError }) => ({
        role: 'tool',
        call: id,
        content: text,
        ...(isError && { isError }),
      }))
    },
  }
}

function addSystemMessage(messages: NeutralMessage[], added: string): NeutralMessage[] {
  if (added === '') return messages
  const at = messages.findIndex((message) => message.role === 'system')
  const system = messages[at]
  if (!system) return [{ role: 'system', content: added }, ...messages]
  return messages.with(at, { ...system, content: joinText(system.content, added) })
}
