/** The arguments of a simple shell command, without quotes and without a comment behind it. */
export function splitWords(line: string): string[] {
  const words: string[] = []
  const pattern = /\s*(#.*$|(?:'[^']*'|"[^"]*"|[^\s'"])+)/gy
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    const [, word = ''] = match
    if (word.startsWith('#')) break
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))
  }
  return words
}
