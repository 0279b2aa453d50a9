import { joinText } from '../util/join-text.ts'

/** A text for a request, and the text that an earlier request had in its place. */
export interface AddedText {
  text: string
  /** Present if an earlier request had another text. */
  earlier?: string | undefined
}

/**
 * Appends a text once: a program may pass back what an earlier request returned. An earlier version
 * of the text is replaced.
 */
export function mergeText(before: string | undefined, added: AddedText): string {
  const { text, earlier } = added
  if (before === undefined || before === '') return text
  const withoutEarlier = earlier === undefined ? undefined : removeBlock(before, earlier)
  const hasText = text !== '' && hasBlock(before, text)
  // One of the two may begin with the other: the longer one is what the text contains.
  const isEarlier =
    withoutEarlier !== undefined && (!hasText || (earlier ?? '').length > text.length)
  if (isEarlier) return joinText(withoutEarlier, text)
  return hasText ? before : joinText(before, text)
}

/** The text without a block; undefined if it has no such block. */
function removeBlock(text: string, block: string): string | undefined {
  if (block === '' || !hasBlock(text, block)) return undefined
  const at = text.lastIndexOf(block)
  const before = text.slice(0, at).replace(/\n+$/, '')
  return joinText(before, text.slice(at + block.length).replace(/^\n+/, ''))
}

/** True if a text is a block of its own: at the end, and after a blank line. */
function hasBlock(text: string, block: string): boolean {
  if (text === block || text.startsWith(`${block}\n\n`)) return true
  return text.endsWith(`\n\n${block}`) || text.includes(`\n\n${block}\n\n`)
}
