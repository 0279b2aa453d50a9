import { toOpenAiTool, type OpenAiTool } from '../../core/tool-formats/provider-tools.ts'
import {
  answerCalls,
  filterOwnTools,
  type AnswerOptions,
  type ToolElement,
} from '../answer-calls.ts'
import type { Composed } from '../compose.ts'
import { mergeText } from '../merge-text.ts'
import {
  appendHints,
  appendText,
  getResultText,
  getSystemText,
  INPUT_TEXT_SHAPE,
  readUserTexts,
} from '../message-text.ts'
import { readUserFiles } from '../files/message-files.ts'
import { readOpenAiResponsesFile } from '../files/provider-files.ts'
import type { AgentSession } from '../session.ts'

export { toOpenAiTool, type OpenAiTool } from '../../core/tool-formats/provider-tools.ts'

export interface OpenAiCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string
}

/** The request parameters that skills read or change. */
export interface OpenAiParams {
  instructions?: string | null | undefined
  input?: string | readonly object[] | undefined
  tools?: readonly object[] | undefined
}

export type OpenAiRequest<P extends OpenAiParams> = Omit<P, 'instructions' | 'tools'> & {
  /** Omitted when empty. */
  instructions?: string
  tools?: (ToolElement<P> | OpenAiTool)[]
}

/**
 * Adapter for the Responses API of OpenAI. With `previous_response_id` the request does not contain
 * earlier tool results, so loaded content goes into the instructions.
 */
export interface OpenAiSkills {
  tools(): Promise<OpenAiTool[]>
  /** Returns the parameters with tools, overview and loaded content; the input is not modified. */
  request<P extends OpenAiParams>(params: P): Promise<OpenAiRequest<P>>
  /** Runs the tools that a response's output calls. */
  answer(
    response: { output: readonly object[] },
    options?: AnswerOptions,
  ): Promise<OpenAiCallOutput[]>
}

export function openAiSkills(session: AgentSession): OpenAiSkills {
  const tools = async () => (await session.tools()).map(toOpenAiTool)
  return {
    tools,
    async request(params) {
      const { input } = params
      const items: readonly ResponseItem[] =
        typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
      const results = new Set(items.map(readOutputCallId).filter((id) => id !== undefined))
      const userTexts = readUserTexts(items)
      const userFiles = readUserFiles(items, readOpenAiResponsesFile)
      const composed = await session.compose({
        length: items.length,
        results,
        userTexts,
        userFiles,
      })
      const shown = appendHints(items, composed, INPUT_TEXT_SHAPE).map((item) =>
        replaceCallOutput(item, composed),
      )
      const { instructions: instructionText, tools: declaredTools, ...others } = params
      const instructions = mergeText(instructionText ?? undefined, getSystemText(composed))
      const offered = [
        ...filterOwnTools(session, declaredTools, readDeclaredName),
        ...(await tools()),
      ]
      return {
        ...others,
        ...(instructions !== '' && { instructions }),
        ...(input !== undefined && {
          input: typeof input === 'string' ? shown[0]?.content : shown,
        }),
        ...(offered.length > 0 && { tools: offered }),
      } as never
    },
    async answer({ output }, options) {
      const calls = (output as readonly ResponseItem[])
        .filter((item) => item.type === 'function_call')
        .map((item) => ({
          id: item.call_id ?? '',
          name: item.name ?? '',
          arguments: item.arguments,
        }))
      const answers = await answerCalls(session, calls, options)
      return answers.map(({ id, text }) => ({
        type: 'function_call_output',
        call_id: id,
        output: text,
      }))
    },
  }
}

interface ResponseItem {
  type?: string
  role?: string
  content?: unknown
  call_id?: string
  name?: string
  arguments?: unknown
  output?: unknown
}

function readOutputCallId(item: ResponseItem): string | undefined {
  return item.type === 'function_call_output' ? item.call_id : undefined
}

function replaceCallOutput(item: ResponseItem, composed: Composed): ResponseItem {
  const added = getResultText(composed, readOutputCallId(item))
  return added ? { ...item, output: appendText(item.output, added, 'input_text') } : item
}

function readDeclaredName(tool: object): string | undefined {
  return (tool as Partial<OpenAiTool>).name
}
