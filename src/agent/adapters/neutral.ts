import { answerCalls, type AnswerOptions } from '../answer-calls.ts'
import { mergeText, type AddedText } from '../merge-text.ts'
import { appendHints, getResultText, getSystemText, readUserTexts } from '../message-text.ts'
import type { SessionFile } from '../files/session-file.ts'
import type { AgentSession } from '../session.ts'
import type { ToolDefinition } from '../../core/tool-formats/tool-definition.ts'

/** A provider-independent message. */
export type NeutralMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; files?: readonly SessionFile[] }
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
        userFiles: collectUserFiles(messages),
      })
      const shown = appendHints(messages, composed).map((each): NeutralMessage => {
        const added = each.role === 'tool' ? getResultText(composed, each.call) : undefined
        return added === undefined ? each : { ...each, content: mergeText(each.content, added) }
      })
      return {
        messages: addSystemMessage(shown, getSystemText(composed)),
        tools: await session.tools(),
      }
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

function collectUserFiles(
  messages: readonly NeutralMessage[],
): Map<number, readonly SessionFile[]> {
  const found = new Map<number, readonly SessionFile[]>()
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user' && message.files) found.set(at, message.files)
  }
  return found
}

function addSystemMessage(messages: NeutralMessage[], added: AddedText): NeutralMessage[] {
  if (added.text === '') return messages
  const at = messages.findIndex((message) => message.role === 'system')
  const system = messages[at]
  if (!system) return [{ role: 'system', content: added.text }, ...messages]
  return messages.with(at, { ...system, content: mergeText(system.content, added) })
}
