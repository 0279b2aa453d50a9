/** Rank of a text for typed words; undefined unless each word occurs. Lower is better. */
export function rankMatch(text: string, typed: string): number | undefined {
  const lower = text.toLowerCase()
  let rank = 0
  for (const word of typed.toLowerCase().split(/\s+/)) {
    const at = lower.indexOf(word)
    if (at === -1) return undefined
    const startsWord = at === 0 || /[^\p{L}\p{N}]/u.test(lower[at - 1] as string)
    rank += at + (startsWord ? 0 : 50)
  }
  return rank
}

/** The best matches, in order. Nothing typed keeps the order. */
export function selectMatches<Item>(
  items: readonly Item[],
  typed: string,
  { read, limit }: { read: (item: Item) => string; limit: number },
): Item[] {
  const words = typed.trim()
  if (words === '') return items.slice(0, limit)
  const ranked = items.flatMap((item) => {
    const rank = rankMatch(read(item), words)
    return rank === undefined ? [] : [{ item, rank }]
  })
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ item }) => item)
}
