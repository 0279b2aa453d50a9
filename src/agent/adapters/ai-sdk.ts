import type { DeclaredLoad } from '../../core/skill-context/declared-loads.ts'
import { SkillsError } from '../../errors.ts'
import { joinText } from '../../util/join-text.ts'
import { readUserTexts, appendHints } from '../message-text.ts'
import type { AgentSession } from '../session.ts'
import type { JsonSchema } from '../schemas/plain-schema.ts'
import type { ToolDefinition } from '../tool-definition.ts'
import { fromProviderName, toProviderName } from '../tool-names.ts'

/** How the SDK knows a JSON Schema; the symbol is its own, and the same in every copy of it. */
const SDK_SCHEMA_SYMBOL = Symbol.for('vercel.ai.schema')

export interface AiSdkOptions {
  /** The system message; skills stand below it. Without it they stand in one of their own. */
  system?: string
  /** Skills that every call of generateText or streamText begins with. */
  loads?: readonly DeclaredLoad[]
  /** Names of the application's own tools, where some of them appear with skills. */
  ownTools?: readonly string[]
  /** False where the application calls `session.beginTurn` itself. */
  beginsTurns?: boolean
}

/** What generateText and streamText of the AI SDK take: spread it into their options. */
export interface AiSdkSkills {
  tools: Record<string, AiSdkTool>
  /** The step hook: puts overview and loaded content into each request. */
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

/** Skills for the AI SDK, without loading it. */
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
      })
      const shown = appendHints(conversation, composed.hints).map((message) =>
        replaceToolResults(message, composed.results),
      )
      return {
        ...placeSystemText(options.system, composed.system, shown),
        ...(ownTools.length > 0 && {
          activeTools: [...session.activeTools(ownTools), ...names] as never[],
        }),
      }
    },
  }
}

/** The SDK offers every tool unless it is told which: tools that wait for a skill have to be named. */
function checkOwnTools({ tiedTools }: AgentSession, { ownTools = [] }: AiSdkOptions): void {
  const missing = tiedTools.find((name) => !ownTools.includes(name))
  if (missing === undefined) return
  throw new SkillsError(
    'usage/invalid',
    `"${missing}" appears with a skill, and ownTools has it not`,
    {
      hint: "Name all of the application's own tools in ownTools",
    },
  )
}

/** A system message that generateText was given is not known here, and must not be replaced. */
function placeSystemText(
  system: string | undefined,
  added: string,
  messages: readonly AiSdkMessage[],
): { system?: string; messages: never[] } {
  if (system !== undefined)
    return { system: joinText(system, added), messages: messages as never[] }
  const own = added === '' ? [] : [{ role: 'system', content: added }]
  return { messages: [...own, ...messages] as never[] }
}

/** One definition as plain data: `tool({ …, inputSchema: jsonSchema(inputSchema) })` takes it. */
export function toAiSdkDefinition({ name, description, parameters }: ToolDefinition): {
  name: string
  description: string
  inputSchema: JsonSchema
} {
  return { name: toProviderName(name), description, inputSchema: parameters }
}

function toAiSdkTool(session: AgentSession, definition: ToolDefinition): AiSdkTool {
  const { name, description, inputSchema } = toAiSdkDefinition(definition)
  return {
    description,
    // The session looks at what a model gave, and its complaint is an answer that the model can use.
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

function replaceToolResults(
  message: AiSdkMessage,
  results: ReadonlyMap<string, string>,
): AiSdkMessage {
  const parts = listResultParts(message)
  if (!parts.some((part) => results.has(part.toolCallId ?? ''))) return message
  const content = parts.map((part) => {
    const added = results.get(part.toolCallId ?? '')
    if (added === undefined) return part
    const { value } = part.output ?? {}
    const before = typeof value === 'string' ? value : JSON.stringify(value)
    return { ...part, output: { type: 'text', value: joinText(before, added) } }
  })
  return { ...message, content }
}
