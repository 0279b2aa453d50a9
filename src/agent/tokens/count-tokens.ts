/** Vocabularies of OpenAI's models; other vendors' differ, and come close for text. */
export const ENCODINGS = ['o200k', 'cl100k'] as const
export type Encoding = (typeof ENCODINGS)[number]

export type CountTokens = (text: string) => number

/** A run without a break in it, longer than any word: the tokenizer takes its square. */
const LONG_RUN = /(\S{300}|\s{300})/
/** Text of skills is text: what looks like a control token counts as its characters. */
const PLAIN_TEXT_OPTIONS = {
  allowedSpecial: new Set<string>(),
  disallowedSpecial: new Set<string>(),
}

/** Loads a vocabulary, which takes a moment, and gives what counts with it. */
export async function openTokenizer(encoding: Encoding): Promise<CountTokens> {
  const { countTokens } =
    encoding === 'o200k'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  return (text) =>
    text
      .split(LONG_RUN)
      .reduce((sum, piece) => sum + (piece === '' ? 0 : countTokens(piece, PLAIN_TEXT_OPTIONS)), 0)
}
