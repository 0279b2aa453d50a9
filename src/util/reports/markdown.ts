/** A fenced block of Markdown: its fence is longer than any run of backticks in the text. */
export function fenceText(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, findLongestRun(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

/** Length of the longest run of backticks. */
export function findLongestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}
