type GlobToken = 'any' | 'one' | { has: (character: string) => boolean }

/** Creates a matcher for a pattern with `*`, `?` and `[…]` that avoids exponential backtracking. */
export function createNameMatcher(pattern: string): (name: string) => boolean {
  const tokens = parseTokens(pattern)
  return (name) => matchesTokens(tokens, [...name])
}

/** Backtracks to the last `*` only, so the time is bounded by pattern length times name length. */
function matchesTokens(tokens: readonly GlobToken[], name: readonly string[]): boolean {
  let [at, token] = [0, 0]
  let star: { token: number; at: number } | undefined
  while (at < name.length) {
    const expected = tokens[token]
    if (expected === 'any') {
      star = { token, at }
      token += 1
    } else if (expected !== undefined && matchesToken(expected, name[at] as string)) {
      at += 1
      token += 1
    } else if (star) {
      star.at += 1
      at = star.at
      token = star.token + 1
    } else return false
  }
  return tokens.slice(token).every((each) => each === 'any')
}

function matchesToken(token: Exclude<GlobToken, 'any'>, character: string): boolean {
  return token === 'one' || token.has(character)
}

function parseTokens(pattern: string): GlobToken[] {
  const tokens: GlobToken[] = []
  for (const [part] of pattern.matchAll(/\*+|\[[!^]?\]?[^\]]+\]|[^]/gu)) {
    if (part.startsWith('*')) tokens.push('any')
    else if (part === '?') tokens.push('one')
    else if (part.length > 1 && part.startsWith('['))
      tokens.push(parseCharacterSet(part.slice(1, -1)))
    else tokens.push({ has: (character) => character === part })
  }
  return tokens
}

/** `a-z_` or `!a-z_`. */
function parseCharacterSet(inside: string): GlobToken {
  const isNegated = /^[!^]/.test(inside)
  const ranges = [...inside.slice(isNegated ? 1 : 0).matchAll(/([^])-([^])|([^])/gu)]
  const isInRanges = (character: string) =>
    ranges.some(([, from, to, single]) =>
      single === undefined
        ? character >= (from ?? '') && character <= (to ?? '')
        : character === single,
    )
  return { has: (character) => isInRanges(character) !== isNegated }
}
