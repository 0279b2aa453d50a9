import { createRequire } from 'node:module'
import { realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { NeutralMessage } from '../../agent/adapters/neutral.ts'
import { fromProviderName, toProviderName } from '../../core/tool-formats/tool-names.ts'
import type { ToolDefinition } from '../../core/tool-formats/tool-definition.ts'
import { SkillsError } from '../../errors.ts'
import type { AssistantMessage, EvalModel, ModelAnswer, TokenUsage } from './eval-model.ts'

/** Marker by which the SDK recognises a JSON Schema. */
const SDK_SCHEMA_SYMBOL = Symbol.for('vercel.ai.schema')
const PROVIDER = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/** The functions of the package `ai` that are used. */
interface AiPackage {
  generateText(options: object): Promise<{
    text: string
    toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[]
    usage: { inputTokens?: number; outputTokens?: number }
    response: { messages: readonly object[] }
  }>
}

interface AiSdkModelOptions {
  provider: string
  model: string
  /** Folder of the user's project, whose packages are loaded. */
  project: string
  /** Folders of tested skills, from which no package is loaded. */
  skills: readonly string[]
}

/** A model of the AI SDK. The package and its provider are those of the user's project. */
export async function openAiSdkModel(options: AiSdkModelOptions): Promise<EvalModel> {
  const { provider, model } = options
  if (!PROVIDER.test(provider)) {
    throw new SkillsError('usage/invalid', `"${provider}" is not a valid name of a provider`, {
      hint: 'Write it as --model anthropic/<model>, or --model script:<file>',
    })
  }
  const sdk = (await loadPackage('ai', options)) as unknown as AiPackage
  const name = `@ai-sdk/${provider}`
  const create = (await loadPackage(name, options))[toExportName(provider)]
  if (typeof create !== 'function') {
    throw new SkillsError('usage/invalid', `The package "${name}" does not export a provider`, {
      hint: `Update it with: npm install ${name}@latest`,
    })
  }
  const languageModel = (create as (id: string) => unknown)(model)
  /** Messages with the provider's own parts, such as signatures of reasoning. */
  const originals = new WeakMap<AssistantMessage, readonly object[]>()
  return {
    name: `${provider}/${model}`,
    isFree: false,
    async respond({ messages, tools, maxOutputTokens, signal }) {
      const system = messages.find(({ role }) => role === 'system')?.content
      const result = await sdk.generateText({
        model: languageModel,
        ...(system !== undefined && { system }),
        messages: toSdkMessages(messages, originals),
        tools: toSdkTools(tools),
        maxOutputTokens,
        abortSignal: signal,
      })
      const answer = readAnswer(result)
      originals.set(answer.message, result.response.messages)
      return answer
    },
  }
}

/** `amazon-bedrock` exports `amazonBedrock`. */
function toExportName(provider: string): string {
  return provider.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

async function loadPackage(
  name: string,
  { provider, project, skills }: AiSdkModelOptions,
): Promise<Record<string, unknown>> {
  let file
  try {
    file = createRequire(join(project, 'package.json')).resolve(name)
  } catch (cause) {
    throw new SkillsError('usage/invalid', `The package "${name}" is not installed in ${project}`, {
      hint: `Install it with: npm install ai @ai-sdk/${provider}`,
      cause,
    })
  }
  const real = realpathSync(file)
  const owner = skills.find((skill) => isBelowFolder(realpathSync(skill), real))
  if (owner !== undefined) {
    throw new SkillsError('policy/denied', `The package "${name}" belongs to the tested skill`, {
      hint: 'Skills run in sandboxes only: start the command in a folder of your own that has the package',
    })
  }
  return (await import(pathToFileURL(file).href)) as Record<string, unknown>
}

function isBelowFolder(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function toSdkTools(tools: readonly ToolDefinition[]): object {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      toProviderName(name),
      {
        description,
        inputSchema: { [SDK_SCHEMA_SYMBOL]: true, jsonSchema: parameters, validate: undefined },
      },
    ]),
  )
}

function toSdkMessages(
  messages: readonly NeutralMessage[],
  originals: WeakMap<AssistantMessage, readonly object[]>,
): object[] {
  const names = new Map<string, string>()
  return messages.flatMap((message): object[] => {
    if (message.role === 'system') return []
    if (message.role === 'user') return [{ role: 'user', content: message.content }]
    if (message.role === 'tool') {
      const type = message.isError ? 'error-text' : 'text'
      const output = { type, value: message.content }
      const toolName = names.get(message.call) ?? 'unknown'
      return [
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: message.call, toolName, output }],
        },
      ]
    }
    for (const { id, name } of message.calls ?? []) names.set(id, toProviderName(name))
    return [...(originals.get(message) ?? [toSdkAssistant(message)])]
  })
}

function toSdkAssistant({ content, calls = [] }: AssistantMessage): object {
  const text = content === '' ? [] : [{ type: 'text', text: content }]
  const parts = calls.map(({ id, name, arguments: input }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: toProviderName(name),
    input,
  }))
  return { role: 'assistant', content: [...text, ...parts] }
}

function readAnswer({
  text,
  toolCalls,
  usage,
}: Awaited<ReturnType<AiPackage['generateText']>>): ModelAnswer {
  const calls = toolCalls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: fromProviderName(toolName),
    arguments: input,
  }))
  return {
    message: { role: 'assistant', content: text, ...(calls.length > 0 && { calls }) },
    usage: readUsage(usage),
  }
}

function readUsage(usage: { inputTokens?: number; outputTokens?: number }): TokenUsage | undefined {
  const { inputTokens: input, outputTokens: output } = usage
  const isKnown = [input, output].every((each) => Number.isFinite(each))
  return isKnown ? { input: input as number, output: output as number } : undefined
}
