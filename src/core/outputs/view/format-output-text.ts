import { stripVTControlCharacters } from 'node:util'

export const VIEWS = ['model', 'raw'] as const
/** Raw is what was printed; for a model colours and times that differ at each run are left out. */
export type OutputTextView = (typeof VIEWS)[number]

/** How long a test of node took, at the end of its line. */
const TEST_TIME = /^([ \t]*[✔✖✓×﹣▶] .*?) \(\d+(?:\.\d+)?ms\)(\r?)$/gm

/** Text of lines as a view shows it. */
export function formatOutputText(
  text: string,
  { view, language }: { view: OutputTextView; language: string | null },
): string {
  if (view === 'raw') return text
  const plain = text.includes('\u001b') ? stripVTControlCharacters(text) : text
  return language === 'node' ? plain.replace(TEST_TIME, '$1$2') : plain
}
