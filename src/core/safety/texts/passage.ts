import type { Span } from '../../skills/manifest/source.ts'

/** How a passage is kept from the eyes of a reader. */
export type Hiding = 'comment' | 'invisible' | 'encoded' | 'alt text' | 'far to the right' | 'style'

/** A part of a file that is read as one: a paragraph, a list item, a code block, a comment. */
export interface Passage {
  file: string
  /** Text without invisible characters. */
  text: string
  kind: 'prose' | 'code'
  /** Language of code as its fence or its file names it; empty if unknown. */
  language: string
  /** Titles above the passage, from the outermost. */
  headings: string
  /** Text that introduces the passage. */
  intro: string
  hiding: Hiding | undefined
  /** True for a string of code, a value of a data file, or a quotation of a document. */
  isQuote: boolean
  /** True for a comment of code and a row of data, which describe more than they ask for. */
  isRemark?: boolean
  /** Converts offsets of `text` to a span of the file. */
  toSpan(start: number, end: number): Span
}
