import { toAnthropicTool, type AnthropicTool } from '../../core/tool-formats/provider-tools.ts'
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
import { readAnthropicFile } from '../files/provider-files.ts'
import type { AgentSession } from '../session.ts'

export { toAnthropicTool, type AnthropicTool } from '../../core/tool-formats/provider-tools.ts'

interface TextBlock {
  type: 'text'
  text: string
}

export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error?: boolean
}

interface AnthropicMessage {
  role: string
  content: unknown
}

/** The request parameters that the adapter reads or changes. */
export interface AnthropicParams {
  system?: string | readonly { type: 'text'; text: string }[] | undefined
  messages: readonly AnthropicMessage[]
  tools?: readonly object[] | undefined
}

export type AnthropicRequest<P extends AnthropicParams> = Omit<P, 'system' | 'tools'> & {
  /** Omitted when empty: the API rejects empty values. */
  system?: string | TextBlock[]
  tools?: (ToolElement<P> | AnthropicTool)[]
}

/** Adapter for the Messages API of Anthropic, for request and response bodies as plain objects. */
export interface AnthropicSkills {
  tools(): Promise<AnthropicTool[]>
  /** Returns the parameters with tools, overview and loaded content; the input is not modified. */
  request<P extends AnthropicParams>(params: P): Promise<AnthropicRequest<P>>
  /** Runs the tools that a response calls; undefined when it calls no skill tool. */
  answer(
    response: { content: string | readonly { type: string }[] },
    options?: AnswerOptions,
  ): Promise<{ role: 'user'; content: AnthropicToolResult[] } | undefined>
}

export function anthropicSkills(session: AgentSession): AnthropicSkills {
  const tools = async () => (await session.tools()).map(toAnthropicTool)
  return {
    tools,
    async request(params) {
      const { messages } = params
      const composed = await session.compose({
        length: messages.length,
        results: collectResultIds(messages),
        userTexts: readUserTexts(messages),
        userFiles: readUserFiles(messages, readAnthropicFile),
      })
      const { system: _, tools: declaredTools, ...others } = params
      const system = appendSystemText(params.system, getSystemText(composed))
      const offered = [...filterOwnTools(session, declaredTools, readToolName), ...(await tools())]
      return {
        ...others,
        ...(system.length > 0 && { system }),
        messages: appendHints(messages, composed).map((message) =>
          replaceResultBlocks(message, composed),
        ),
        ...(offered.length > 0 && { tools: offered }),
      } as never
    },
    async answer({ content }, options) {
      const uses = listContentBlocks(content).filter(
        (block) => block.type === 'tool_use',
      ) as ToolUseBlock[]
      const calls = uses.map(({ id, name, input }) => ({ id, name, arguments: input }))
      const answers = await answerCalls(session, calls, options)
      if (answers.length === 0) return undefined
      return {
        role: 'user',
        content: answers.map(({ id, text, isError }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: text,
          ...(isError && { is_error: true }),
        })),
      }
    },
  }
}

interface ToolUseBlock {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}

type ContentBlock = { type: string; tool_use_id?: string; content?: unknown }

function listContentBlocks(content: unknown): readonly ContentBlock[] {
  return Array.isArray(content) ? (content as ContentBlock[]) : []
}

function collectResultIds(messages: readonly AnthropicMessage[]): Set<string> {
  const ids = new Set<string>()
  for (const { content } of messages) {
    for (const block of listContentBlocks(content)) {
      if (block.type === 'tool_result' && block.tool_use_id) ids.add(block.tool_use_id)
    }
  }
  return ids
}

function appendSystemText(
  system: AnthropicParams['system'],
  added: AddedText,
): string | readonly TextBlock[] {
  return appendText(system, added, 'text') as string | readonly TextBlock[]
}

function replaceResultBlocks<M extends AnthropicMessage>(message: M, composed: Composed): M {
  const blocks = listContentBlocks(message.content)
  if (!blocks.some((block) => composed.results.has(block.tool_use_id ?? ''))) return message
  const content = blocks.map((block) => {
    const added = getResultText(composed, block.tool_use_id)
    return added ? { ...block, content: appendText(block.content, added, 'text') } : block
  })
  return { ...message, content }
}

function readToolName(tool: object): string | undefined {
  return (tool as { name?: string }).name
}
