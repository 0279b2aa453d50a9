import type { Composed } from './compose.ts'
import { mergeText, type AddedText } from './merge-text.ts'

/** The property of a provider's messages that holds text, and the type of its text parts. */
interface MessageShape {
  key: 'content' | 'parts'
  /** Undefined if parts have no type. */
  type: string | undefined
}

const TEXT_SHAPE: MessageShape = { key: 'content', type: 'text' }
export const INPUT_TEXT_SHAPE: MessageShape = { key: 'content', type: 'input_text' }
export const PARTS_SHAPE: MessageShape = { key: 'parts', type: undefined }

/** Text of user messages, by message index. */
export function readUserTexts(
  messages: readonly object[],
  { key } = TEXT_SHAPE,
): Map<number, string> {
  const userTexts = new Map<number, string>()
  for (const [at, message] of messages.entries()) {
    if ((message as { role?: string }).role !== 'user') continue
    const text = readMessageText((message as Record<string, unknown>)[key])
    if (text !== undefined) userTexts.set(at, text)
  }
  return userTexts
}

/** Appends a line to some of the messages. */
export function appendHints<M extends object>(
  messages: readonly M[],
  { hints, earlier }: Pick<Composed, 'hints' | 'earlier'>,
  { key, type } = TEXT_SHAPE,
): M[] {
  return messages.map((message, at) => {
    const text = hints.get(at)
    if (text === undefined) return message
    const content = (message as Record<string, unknown>)[key]
    return {
      ...message,
      [key]: appendText(content, { text, earlier: earlier.hints.get(at) }, type),
    }
  })
}

/** Appends text to a message's content, unless an earlier request appended it already. */
export function appendText(content: unknown, added: AddedText, type: string | undefined): unknown {
  if (!Array.isArray(content)) return mergeText(content as string | undefined, added)
  const { text, earlier } = added
  const parts = content as readonly { text?: unknown }[]
  if (text === '' || parts.some((part) => part.text === text)) return content
  const others = parts.filter((part) => earlier === undefined || part.text !== earlier)
  return [...others, type === undefined ? { text } : { type, text }]
}

/** The text of a tool result, if the request adds one. */
export function getResultText(
  { results, earlier }: Pick<Composed, 'results' | 'earlier'>,
  call: string | undefined,
): AddedText | undefined {
  const text = results.get(call ?? '')
  return text === undefined ? undefined : { text, earlier: earlier.results.get(call ?? '') }
}

/** The text of the system message. */
export function getSystemText({
  system,
  earlier,
}: Pick<Composed, 'system' | 'earlier'>): AddedText {
  return { text: system, earlier: earlier.system }
}

function readMessageText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = (content as readonly { text?: unknown }[]).map((part) => part?.text)
  const strings = texts.filter((text) => typeof text === 'string')
  return strings.length === 0 ? undefined : strings.join('\n')
}
