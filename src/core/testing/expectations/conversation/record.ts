import type { Plain, PlainObject } from '../../../skills/manifest/manifest.ts'

/** A conversation of a scripted model with the tools of an agent. */
export interface ConversationRecord {
  /** Requests to the model, and its scripted answers. The last request may have no answer. */
  turns: readonly RecordedTurn[]
  /** Names of the skills whose content a further request would have. */
  loaded: readonly string[]
}

export interface RecordedTurn {
  request: RecordedModelRequest
  /** Undefined if the script ended before. */
  answer: RecordedAnswer | undefined
}

/** A request as the model gets it. */
export interface RecordedModelRequest {
  /** Names of the offered tools. */
  tools: readonly string[]
  messages: readonly RecordedMessage[]
}

export interface RecordedMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  text: string
}

interface RecordedAnswer {
  text: string
  calls: readonly RecordedToolCall[]
}

/** A tool call with its result. */
export interface RecordedToolCall {
  tool: string
  args: PlainObject
  /** Text for the model. */
  text: string
  /** The result before it was written as text; undefined for an error. */
  value: Plain | undefined
  isError: boolean
}

/** All tool calls of a conversation, in order. */
export function listToolCalls({ turns }: ConversationRecord): readonly RecordedToolCall[] {
  return turns.flatMap(({ answer }) => answer?.calls ?? [])
}

/** The tool calls with their results, for a person who looks for the cause of a failure. */
export function formatCalls(conversation: ConversationRecord): string {
  return listToolCalls(conversation)
    .map(({ tool, args, text }, at) => `${at + 1}. ${tool} ${JSON.stringify(args)}\n${text}`)
    .join('\n')
}

/** A request as one text: a line with the role before each message. */
export function formatRequest({ tools, messages }: RecordedModelRequest): string {
  return [formatTools(tools), ...messages.map(formatMessage)].join('\n')
}

function formatTools(tools: readonly string[]): string {
  return `-- tools --\n${tools.join(', ')}\n`
}

function formatMessage({ role, text }: RecordedMessage): string {
  return `-- ${role} --\n${text}${text.endsWith('\n') ? '' : '\n'}`
}

/**
 * The whole conversation as one text. Each message is shown once; the system message again if it
 * changed. Tool results are shown as the next request has them, with the content of loaded skills.
 */
export function formatTranscript({ turns, loaded }: ConversationRecord): string {
  const parts: string[] = []
  let shown = 0
  let earlier: RecordedModelRequest = { tools: [], messages: [] }
  for (const { request } of turns) {
    if (request.tools.join() !== earlier.tools.join()) parts.push(formatTools(request.tools))
    const [system, ...others] = splitSystem(request)
    if (system !== splitSystem(earlier)[0] && system !== undefined) {
      parts.push(formatMessage({ role: 'system', text: system }))
    }
    parts.push(...others.slice(shown).map(formatMessage))
    shown = others.length
    earlier = request
  }
  const last = turns.at(-1)?.answer
  if (last) parts.push(formatMessage({ role: 'assistant', text: last.text }))
  parts.push(`-- loaded --\n${loaded.length === 0 ? 'none' : loaded.join(', ')}\n`)
  return hideNumbers(parts.join('\n'))
}

function splitSystem({
  messages,
}: RecordedModelRequest): [string | undefined, ...RecordedMessage[]] {
  const system = messages.find(({ role }) => role === 'system')
  return [system?.text, ...messages.filter((each) => each !== system)]
}

/** Replaces values of results that differ from run to run. */
function hideNumbers(text: string): string {
  return text
    .replaceAll(/"run_id":"[^"]*"/g, '"run_id":"[ID]"')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":[MS]')
}
