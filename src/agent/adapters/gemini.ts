import { toGeminiFunction, type GeminiFunction } from '../../core/tool-formats/provider-tools.ts'
import { randomUUID } from 'node:crypto'
import { answerCalls, filterOwnTools, type AnswerOptions } from '../answer-calls.ts'
import type { Composed } from '../compose.ts'
import { mergeText } from '../merge-text.ts'
import {
  appendHints,
  getResultText,
  getSystemText,
  PARTS_SHAPE,
  readUserTexts,
} from '../message-text.ts'
import { readUserFiles } from '../files/message-files.ts'
import { readGeminiFile } from '../files/provider-files.ts'
import type { AgentSession } from '../session.ts'

export { toGeminiFunction, type GeminiFunction } from '../../core/tool-formats/provider-tools.ts'

interface GeminiTools {
  functionDeclarations: GeminiFunction[]
}

interface GeminiPart {
  text?: string
  functionCall?: { id?: string; name?: string; args?: object }
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> }
}

interface GeminiContent {
  role?: string
  parts?: readonly GeminiPart[]
}

/** The request parameters that skills read or change. */
export interface GeminiParams {
  /** A conversation or a single message, as the SDK accepts it. */
  contents: string | object | readonly object[]
  config?: { systemInstruction?: unknown; tools?: readonly object[] } | undefined
}

export type GeminiRequest<P extends GeminiParams> = Omit<P, 'contents' | 'config'> & {
  contents: object[]
  config: Omit<NonNullable<P['config']>, 'systemInstruction' | 'tools'> & {
    /** Omitted when empty. */
    systemInstruction?: string
    tools?: object[]
  }
}

/** Adapter for the Gemini API; requests and responses are its plain data. */
export interface GeminiSkills {
  tools(): Promise<GeminiTools[]>
  /** Returns the parameters with tools, overview and loaded content; the input is not modified. */
  request<P extends GeminiParams>(params: P): Promise<GeminiRequest<P>>
  /** Runs the functions that a model's content calls; undefined when it calls no skill function. */
  answer(
    content: object,
    options?: AnswerOptions,
  ): Promise<{ role: 'user'; parts: { functionResponse: GeminiFunctionResponse }[] } | undefined>
}

interface GeminiFunctionResponse {
  id: string
  name: string
  response: Record<string, unknown>
}

/**
 * Gemini's calls often have no id. This prefix marks a generated id in the history; it is never
 * sent.
 */
const OWN_ID_PREFIX = 'skills-'

export function geminiSkills(session: AgentSession): GeminiSkills {
  /** Ids of answers that an earlier request sent without their id. */
  const sentIds = new WeakMap<object, string>()
  const tools = async () => {
    const functionDeclarations = (await session.tools()).map(toGeminiFunction)
    return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]
  }
  return {
    tools,
    async request(params) {
      const contents = toContents(params.contents)
      const results = new Set(contents.flatMap((content) => listResponseIds(content, sentIds)))
      const composed = await session.compose({
        length: contents.length,
        results,
        userTexts: readUserTexts(contents, PARTS_SHAPE),
        userFiles: readUserFiles(contents, readGeminiFile, 'parts'),
      })
      const { systemInstruction: systemText, tools: own = [], ...others } = params.config ?? {}
      const systemInstruction = mergeText(readInstructionText(systemText), getSystemText(composed))
      const offered = [
        ...own.flatMap((tool) => removeSkillFunctions(session, tool)),
        ...(await tools()),
      ]
      return {
        ...params,
        contents: appendHints(contents, composed, PARTS_SHAPE).map((content) =>
          replaceFunctionResponses(content, composed, sentIds),
        ),
        config: {
          ...others,
          ...(systemInstruction !== '' && { systemInstruction }),
          ...(offered.length > 0 && { tools: offered }),
        },
      } as never
    },
    async answer(content, options) {
      const { parts = [] } = content as GeminiContent
      const calls = parts.flatMap(({ functionCall: call }) =>
        call
          ? [
              {
                id: call.id ?? OWN_ID_PREFIX + randomUUID(),
                name: call.name ?? '',
                arguments: call.args,
              },
            ]
          : [],
      )
      const answers = await answerCalls(session, calls, options)
      if (answers.length === 0) return undefined
      return {
        role: 'user',
        parts: answers.map(({ id, name, text, isError }) => ({
          functionResponse: { id, name, response: isError ? { error: text } : { output: text } },
        })),
      }
    },
  }
}

/** The SDK accepts a text, a part, a content, or a list of any of these as a conversation. */
function toContents(input: string | object | readonly object[]): readonly GeminiContent[] {
  const list: readonly unknown[] = Array.isArray(input) ? (input as unknown[]) : [input]
  if (list.length === 0 || list.some(isContent)) return list as readonly GeminiContent[]
  return [{ role: 'user', parts: list.map(toPart) }]
}

function isContent(each: unknown): boolean {
  return typeof each === 'object' && each !== null && ('parts' in each || 'role' in each)
}

function toPart(each: unknown): GeminiPart {
  return typeof each === 'string' ? { text: each } : (each as GeminiPart)
}

type SentIds = WeakMap<object, string>

function readResponseId({ functionResponse: answer }: GeminiPart, sentIds: SentIds) {
  return answer && (answer.id ?? sentIds.get(answer))
}

function listResponseIds({ parts = [] }: GeminiContent, sentIds: SentIds): string[] {
  return parts.flatMap((part) => readResponseId(part, sentIds) ?? [])
}

function replaceFunctionResponses(
  content: GeminiContent,
  composed: Composed,
  sentIds: SentIds,
): GeminiContent {
  const { parts } = content
  if (!parts?.some((part) => readResponseId(part, sentIds) !== undefined)) return content
  return {
    ...content,
    parts: parts.map((part) => replaceFunctionResponse(part, composed, sentIds)),
  }
}

function replaceFunctionResponse(
  part: GeminiPart,
  composed: Composed,
  sentIds: SentIds,
): GeminiPart {
  const id = readResponseId(part, sentIds)
  if (!part.functionResponse || id === undefined) return part
  const { id: _, ...rest } = part.functionResponse
  const added = getResultText(composed, id)
  const response = { ...rest.response }
  if (added) response['output'] = mergeText(response['output'] as string, added)
  const isOwn = id.startsWith(OWN_ID_PREFIX)
  const functionResponse = { ...(isOwn ? {} : { id }), ...rest, response }
  if (isOwn) sentIds.set(functionResponse, id)
  return { ...part, functionResponse }
}

/** Text of a system instruction in any of its forms. */
function readInstructionText(instruction: unknown): string | undefined {
  if (instruction === undefined || instruction === null) return undefined
  if (typeof instruction === 'string') return instruction
  const parts = Array.isArray(instruction)
    ? (instruction as unknown[])
    : ((instruction as GeminiContent).parts ?? [instruction])
  return parts
    .map((part) => (typeof part === 'string' ? part : ((part as GeminiPart).text ?? '')))
    .join('\n')
}

/** Returns an empty list when nothing of the tool remains. */
function removeSkillFunctions(session: AgentSession, tool: object): object[] {
  const { functionDeclarations: declared, ...others } = tool as Partial<GeminiTools>
  if (!declared) return [tool]
  const functionDeclarations = filterOwnTools(session, declared, (each) => each.name)
  if (functionDeclarations.length > 0) return [{ ...others, functionDeclarations }]
  return Object.keys(others).length > 0 ? [others] : []
}
