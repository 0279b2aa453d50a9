/** The candidate that a misspelt or shortened word most likely means; undefined if none is close. */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates]
  return findLongForm(word.toLowerCase(), all) ?? findSimilar(word, all)
}

/** Letters of a word that may be a short form, such as `cmd` or `old`. */
const SHORT_LETTERS = 3

/** The candidate whose first word begins with a short word, or has its letters in this order. */
function findLongForm(word: string, candidates: readonly string[]): string | undefined {
  if (word.length !== SHORT_LETTERS || !/^[a-z]+$/.test(word)) return undefined
  const begins = new RegExp(`^${word}(?![a-z])`, 'i')
  const contains = new RegExp(`^${[...word].join('[a-z]*')}$`, 'i')
  return (
    candidates.find((each) => begins.test(each)) ?? candidates.find((each) => contains.test(each))
  )
}

function findSimilar(word: string, candidates: readonly string[]): string | undefined {
  const limit = word.length < 3 ? 1 : Math.max(2, Math.floor(word.length / 3))
  const asked = word.toLowerCase()
  const letters = sortLetters(asked)
  let best: string | undefined
  let bestRank = Infinity
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue
    const other = candidate.toLowerCase()
    const distance = computeEditDistance(asked, other)
    if (distance > limit || distance >= bestRank) continue
    const rank =
      distance + (letters === sortLetters(other) ? 0 : 0.5) + (asked[0] === other[0] ? 0 : 0.25)
    if (rank >= bestRank) continue
    best = candidate
    bestRank = rank
  }
  return best
}

/** Swapped letters are likelier than wrong ones, and a wrong first letter is the least likely. */
function sortLetters(word: string): string {
  return Array.from(word).sort().join('')
}

/** Edits between two words; a swap of neighbours counts as one. */
function computeEditDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] as number) + 1)
      }
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] as number
}
