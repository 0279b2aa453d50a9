import { stripColors } from '../../../util/strip-colors.ts'

export const VIEWS = ['model', 'raw'] as const
/** `raw` is the printed text; `model` omits colours and durations that differ between runs. */
export type OutputTextView = (typeof VIEWS)[number]

/** Duration of a Node test at the end of its line. */
const TEST_TIME = /^([ \t]*[✔✖✓×﹣▶] .*?) \(\d+(?:\.\d+)?ms\)(\r?)$/gm

/** Formats lines for a view. */
export function formatOutputText(
  text: string,
  { view, language }: { view: OutputTextView; language: string | null },
): string {
  if (view === 'raw') return text
  const plain = stripColors(text)
  return language === 'node' ? plain.replace(TEST_TIME, '$1$2') : plain
}
