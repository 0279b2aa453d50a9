/** Splits JSON Lines; a document on several lines, which begins with a brace alone, is one. */
export function splitJsonLines(text: string): string[] {
  if (/^\s*\{\s*\n/.test(text)) return [text]
  return text.split('\n').filter((line) => line.trim() !== '')
}
