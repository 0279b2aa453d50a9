/** OpenAI vocabularies; an approximation for text of other vendors' models. */
export const ENCODINGS = ['o200k', 'cl100k'] as const
export type Encoding = (typeof ENCODINGS)[number]

export type CountTokens = (text: string) => number

/** A run without breaks, longer than any word: the tokenizer needs quadratic time for it. */
const LONG_RUN = /(\S{300}|\s{300})/
/** Control tokens in skill text are counted as plain text. */
const PLAIN_TEXT_OPTIONS = {
  allowedSpecial: new Set<string>(),
  disallowedSpecial: new Set<string>(),
}

/** Loads a vocabulary, which is slow, and returns its counter. */
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
