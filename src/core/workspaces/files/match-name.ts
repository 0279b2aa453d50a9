type Token = 'any' | 'one' | { has: (character: string) => boolean }

/** Whether a name fits a pattern with `*`, `?` and `[…]`, in time that no pattern makes long. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const tokens = tokensOf(pattern)
  return (name) => fits(tokens, [...name])
}

/** Goes back to the last `*` only: what an earlier one took is never looked at again. */
function fits(tokens: readonly Token[], name: readonly string[]): boolean {
  let [at, token] = [0, 0]
  let star: { token: number; at: number } | undefined
  while (at < name.length) {
    const wanted = tokens[token]
    if (wanted === 'any') {
      star = { token, at }
      token += 1
    } else if (wanted !== undefined && takes(wanted, name[at] as string)) {
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

function takes(token: Exclude<Token, 'any'>, character: string): boolean {
  return token === 'one' || token.has(character)
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  for (const [part] of pattern.matchAll(/\*+|\[[!^]?\]?[^\]]+\]|[^]/gu)) {
    if (part.startsWith('*')) tokens.push('any')
    else if (part === '?') tokens.push('one')
    else if (part.length > 1 && part.startsWith('[')) tokens.push(setOf(part.slice(1, -1)))
    else tokens.push({ has: (character) => character === part })
  }
  return tokens
}

/** `a-z_` or `!a-z_`. */
function setOf(inside: string): Token {
  const isNegated = /^[!^]/.test(inside)
  const ranges = [...inside.slice(isNegated ? 1 : 0).matchAll(/([^])-([^])|([^])/gu)]
  const isIn = (character: string) =>
    ranges.some(([, from, to, one]) =>
      one === undefined ? character >= (from ?? '') && character <= (to ?? '') : character === one,
    )
  return { has: (character) => isIn(character) !== isNegated }
}
