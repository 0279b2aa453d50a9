import { toOpenAiChatTool, type OpenAiChatTool } from '../../core/tool-formats/provider-tools.ts'
import {
  answerCalls,
  filterOwnTools,
  type AnswerOptions,
  type ToolElement,
} from '../answer-calls.ts'
import type { Composed } from '../compose.ts'
import type { AddedText } from '../merge-text.ts'
import {
  appendHints,
  appendText,
  getResultText,
  getSystemText,
  readUserTexts,
} from '../message-text.ts'
import { readUserFiles } from '../files/message-files.ts'
import { readOpenAiChatFile } from '../files/provider-files.ts'
import type { AgentSession } from '../session.ts'

export {
  toOpenAiChatTool,
  toOpenAiFunction,
  type OpenAiChatTool,
} from '../../core/tool-formats/provider-tools.ts'

export interface OpenAiToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

interface ChatMessage {
  role: string
  content?: unknown
}

/** The request parameters that skills read or change. */
export interface OpenAiChatParams {
  messages: readonly ChatMessage[]
  tools?: readonly object[] | undefined
}

export type OpenAiChatRequest<P extends OpenAiChatParams> = Omit<P, 'messages' | 'tools'> & {
  messages: (P['messages'][number] | { role: 'system'; content: string })[]
  /** Omitted when empty: the API rejects an empty list. */
  tools?: (ToolElement<P> | OpenAiChatTool)[]
}

/** Adapter for Chat Completions, by OpenAI and compatible providers. */
export interface OpenAiChatSkills {
  tools(): Promise<OpenAiChatTool[]>
  /** Returns the parameters with tools, overview and loaded content; the input is not modified. */
  request<P extends OpenAiChatParams>(params: P): Promise<OpenAiChatRequest<P>>
  /** Runs the tools that an assistant message calls. */
  answer(message: object, options?: AnswerOptions): Promise<OpenAiToolMessage[]>
}

export function openAiChatSkills(session: AgentSession): OpenAiChatSkills {
  const tools = async () => (await session.tools()).map(toOpenAiChatTool)
  return {
    tools,
    async request(params) {
      const { messages } = params
      const results = new Set(messages.map(readToolCallId).filter((id) => id !== undefined))
      const composed = await session.compose({
        length: messages.length,
        results,
        userTexts: readUserTexts(messages),
        userFiles: readUserFiles(messages, readOpenAiChatFile),
      })
      const { tools: declaredTools, ...others } = params
      const offered = [
        ...filterOwnTools(session, declaredTools, readFunctionName),
        ...(await tools()),
      ]
      return {
        ...others,
        messages: extendSystemMessage(
          appendHints(messages, composed).map((message) => replaceToolMessage(message, composed)),
          getSystemText(composed),
        ),
        ...(offered.length > 0 && { tools: offered }),
      } as never
    },
    async answer(message, options) {
      const { tool_calls: toolCalls } = message as { tool_calls?: readonly ChatToolCall[] | null }
      const calls = (toolCalls ?? []).flatMap(({ id, function: call }) =>
        call ? [{ id, name: call.name, arguments: call.arguments }] : [],
      )
      const answers = await answerCalls(session, calls, options)
      return answers.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
    },
  }
}

interface ChatToolCall {
  id: string
  function?: { name: string; arguments: string }
}

function readToolCallId(message: ChatMessage): string | undefined {
  return message.role === 'tool' ? (message as { tool_call_id?: string }).tool_call_id : undefined
}

function replaceToolMessage<M extends ChatMessage>(message: M, composed: Composed): M {
  const added = getResultText(composed, readToolCallId(message))
  return added === undefined
    ? message
    : { ...message, content: appendText(message.content, added, 'text') }
}

/** Appends to the first system message, or prepends one if there is none. */
function extendSystemMessage(
  messages: readonly ChatMessage[],
  added: AddedText,
): readonly ChatMessage[] {
  if (added.text === '') return messages
  const at = messages.findIndex(({ role }) => role === 'system' || role === 'developer')
  const system = messages[at]
  if (!system) return [{ role: 'system', content: added.text }, ...messages]
  return messages.with(at, { ...system, content: appendText(system.content, added, 'text') })
}

function readFunctionName(tool: object): string | undefined {
  return (tool as Partial<OpenAiChatTool>).function?.name
}
