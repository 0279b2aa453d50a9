import { joinText } from '../util/join-text.ts'

/** The property of a provider's messages that holds text, and the type of its text parts. */
interface MessageShape {
  key: 'content' | 'parts'
  /** Undefined if parts have no type. */
  type: string | undefined
}

export const TEXT_SHAPE: MessageShape = { key: 'content', type: 'text' }
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
  hints: ReadonlyMap<number, string>,
  { key, type } = TEXT_SHAPE,
): M[] {
  return messages.map((message, at) => {
    const hint = hints.get(at)
    if (hint === undefined) return message
    return { ...message, [key]: appendText((message as Record<string, unknown>)[key], hint, type) }
  })
}

/** Appends text to a message's content. */
export function appendText(content: unknown, added: string, type: string | undefined): unknown {
  if (!Array.isArray(content)) return joinText(content as string | undefined, added)
  const part = type === undefined ? { text: added } : { type, text: added }
  return [...(content as unknown[]), part]
}

function readMessageText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = (content as readonly { text?: unknown }[]).map((part) => part?.text)
  const strings = texts.filter((text) => typeof text === 'string')
  return strings.length === 0 ? undefined : strings.join('\n')
}
