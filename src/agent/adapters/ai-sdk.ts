import { toAiSdkDefinition } from '../../core/tool-formats/provider-tools.ts'
import type { DeclaredLoad } from '../../core/skill-context/declared-loads.ts'
import { SkillsError } from '../../errors.ts'
import type { Composed } from '../compose.ts'
import { mergeText, type AddedText } from '../merge-text.ts'
import { appendHints, getResultText, getSystemText, readUserTexts } from '../message-text.ts'
import { readUserFiles } from '../files/message-files.ts'
import { readAiSdkFile } from '../files/provider-files.ts'
import type { AgentSession } from '../session.ts'
import type { ToolDefinition } from '../../core/tool-formats/tool-definition.ts'
import { fromProviderName, toProviderName } from '../../core/tool-formats/tool-names.ts'

export { toAiSdkDefinition } from '../../core/tool-formats/provider-tools.ts'

/**
 * Marker by which the SDK recognises a JSON Schema; the symbol is global, so every copy of the SDK
 * shares it.
 */
const SDK_SCHEMA_SYMBOL = Symbol.for('vercel.ai.schema')

export interface AiSdkOptions {
  /**
   * The system message, to which skills are appended. Without it skills get a system message of
   * their own.
   */
  system?: string
  /** Skills loaded at the start of every call of generateText or streamText. */
  loads?: readonly DeclaredLoad[]
  /** Names of the application's own tools; needed when some of them appear with skills. */
  ownTools?: readonly string[]
  /** False when the application calls `session.beginTurn` itself. */
  beginsTurns?: boolean
}

/** Options for generateText and streamText of the AI SDK, to be spread into theirs. */
export interface AiSdkSkills {
  tools: Record<string, AiSdkTool>
  /** Step hook: adds the overview and loaded content to each request. */
  prepareStep(step: AiSdkStep): Promise<AiSdkPreparedStep>
}

export interface AiSdkTool {
  description: string
  inputSchema: never
  execute(
    input: unknown,
    options: { toolCallId: string; abortSignal?: AbortSignal },
  ): Promise<never>
}

interface AiSdkStep {
  stepNumber: number
  messages: readonly object[]
}

interface AiSdkPreparedStep {
  system?: string
  messages: never[]
  activeTools?: never[]
}

/** Skills for the AI SDK, without importing it. */
export async function aiSdkSkills(
  session: AgentSession,
  options: AiSdkOptions = {},
): Promise<AiSdkSkills> {
  checkOwnTools(session, options)
  const definitions = await session.tools()
  const names = definitions.map((tool) => toProviderName(tool.name))
  return {
    tools: Object.fromEntries(
      definitions.map((tool, index) => [names[index] as string, toAiSdkTool(session, tool)]),
    ),
    async prepareStep({ stepNumber, messages }) {
      const { loads = [], beginsTurns = true, ownTools = [] } = options
      if (stepNumber === 0 && beginsTurns) await session.beginTurn({ loads })
      const conversation = messages as readonly AiSdkMessage[]
      const composed = await session.compose({
        length: conversation.length,
        results: new Set(conversation.flatMap(listResultIds)),
        userTexts: readUserTexts(conversation),
        userFiles: readUserFiles(conversation, readAiSdkFile),
      })
      const shown = appendHints(conversation, composed).map((message) =>
        replaceToolResults(message, composed),
      )
      return {
        ...placeSystemText(options.system, getSystemText(composed), shown),
        ...(ownTools.length > 0 && {
          activeTools: [...session.activeTools(ownTools), ...names] as never[],
        }),
      }
    },
  }
}

/**
 * The SDK offers every tool unless it gets a list, so tools that wait for a skill must be named in
 * `ownTools`.
 */
function checkOwnTools({ tiedTools }: AgentSession, { ownTools = [] }: AiSdkOptions): void {
  const missing = tiedTools.find((name) => !ownTools.includes(name))
  if (missing === undefined) return
  throw new SkillsError(
    'usage/invalid',
    `"${missing}" appears with a skill but is missing in ownTools`,
    {
      hint: "List all of the application's own tools in ownTools",
    },
  )
}

/** The system message of generateText is not visible here, so it must not be replaced. */
function placeSystemText(
  system: string | undefined,
  added: AddedText,
  messages: readonly AiSdkMessage[],
): { system?: string; messages: never[] } {
  const { text, earlier } = added
  // A system message of an earlier step.
  const others = messages.filter(
    ({ role, content }) => role !== 'system' || (content !== text && content !== earlier),
  )
  if (system !== undefined) return { system: mergeText(system, added), messages: others as never[] }
  const own = text === '' ? [] : [{ role: 'system', content: text }]
  return { messages: [...own, ...others] as never[] }
}

function toAiSdkTool(session: AgentSession, definition: ToolDefinition): AiSdkTool {
  const { name, description, inputSchema } = toAiSdkDefinition(definition)
  return {
    description,
    // The session validates the arguments, so that a model gets the error as a tool result.
    inputSchema: {
      [SDK_SCHEMA_SYMBOL]: true,
      jsonSchema: inputSchema,
      validate: undefined,
    } as never,
    async execute(input, { toolCallId, abortSignal }) {
      const call = { id: toolCallId, name: fromProviderName(name), arguments: input }
      const answer = await session.call(call, abortSignal ? { signal: abortSignal } : {})
      if (answer.isError) throw new Error(answer.text)
      return answer.value as never
    },
  }
}

interface AiSdkMessage {
  role?: string
  content?: unknown
}

interface AiSdkResultPart {
  type: string
  toolCallId?: string
  output?: { type: string; value?: unknown }
}

function listResultParts({ role, content }: AiSdkMessage): readonly AiSdkResultPart[] {
  return role === 'tool' && Array.isArray(content) ? (content as AiSdkResultPart[]) : []
}

function listResultIds(message: AiSdkMessage): string[] {
  return listResultParts(message).flatMap((part) =>
    part.type === 'tool-result' && part.toolCallId ? part.toolCallId : [],
  )
}

function replaceToolResults(message: AiSdkMessage, composed: Composed): AiSdkMessage {
  const parts = listResultParts(message)
  if (!parts.some((part) => composed.results.has(part.toolCallId ?? ''))) return message
  const content = parts.map((part) => {
    const added = getResultText(composed, part.toolCallId)
    if (added === undefined) return part
    const { value } = part.output ?? {}
    const before = typeof value === 'string' ? value : JSON.stringify(value)
    return { ...part, output: { type: 'text', value: mergeText(before, added) } }
  })
  return { ...message, content }
}
