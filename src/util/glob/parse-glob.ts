/** One state of a glob. Without another word, the state after it follows. */
export type GlobState =
  /** Reads one character; `isDeep`: as a part of `**`, which follows no links. */
  | { kind: 'one'; reads: (character: string) => boolean; literal?: string; isDeep?: boolean }
  /** Reads any number of characters; `isDeep`: also slashes. */
  | { kind: 'many'; isDeep: boolean }
  /** Reads nothing, and continues at each of these states. */
  | { kind: 'fork'; next: number[] }
  | { kind: 'end' }

/** Characters of the longest `[…]`; a longer one is text. */
const MAX_CLASS = 256

/**
 * Parses `*`, `**`, `?`, `[…]` and `{a,b}` to a list of states, at most a few for each character. A
 * bracket without its partner is text.
 */
export function parseGlob(glob: string): GlobState[] {
  const parser = new GlobParser([...glob])
  return parser.parse()
}

/** Alternatives whose end was not read yet. */
interface OpenChoice {
  fork: { next: number[] }
  /** The states after each alternative but the last. */
  ends: { next: number[] }[]
}

class GlobParser {
  readonly #characters: readonly string[]
  readonly #states: GlobState[] = []
  readonly #choices: OpenChoice[] = []
  readonly #closed: ReadonlySet<number>
  #at = 0

  constructor(characters: readonly string[]) {
    this.#characters = characters
    this.#closed = findClosedBraces(characters)
  }

  parse(): GlobState[] {
    while (this.#at < this.#characters.length) {
      this.#at += this.#parseBrace() || this.#parseStars() || this.#parseCharacter()
    }
    this.#states.push({ kind: 'end' })
    return this.#states
  }

  /** Each method returns the number of characters that it has read. */
  #parseBrace(): number {
    const character = this.#characters[this.#at]
    const choice = this.#choices.at(-1)
    if (character === '{' && this.#closed.has(this.#at)) {
      this.#choices.push({ fork: this.#fork(this.#states.length + 1), ends: [] })
      return 1
    }
    if (choice === undefined) return 0
    if (character === ',') {
      choice.ends.push(this.#fork())
      choice.fork.next.push(this.#states.length)
      return 1
    }
    if (character !== '}' || !this.#closed.has(this.#at)) return 0
    for (const end of choice.ends) end.next.push(this.#states.length)
    this.#choices.pop()
    return 1
  }

  #parseStars(): number {
    if (this.#startsWith('**/') && /^[/{,]?$/.test(this.#characters[this.#at - 1] ?? '')) {
      const start = this.#states.length
      const exit = this.#fork(start + 1)
      this.#states.push({ kind: 'one', reads: isNoSlash }, { kind: 'many', isDeep: false })
      this.#states.push({ kind: 'one', reads: isSlash, isDeep: true })
      this.#fork(start)
      exit.next.push(this.#states.length)
      return 3
    }
    if (this.#startsWith('/**') && this.#isEnd(this.#at + 3)) {
      const exit = this.#fork(this.#states.length + 1)
      this.#states.push({ kind: 'one', reads: isSlash, literal: '/' })
      this.#states.push({ kind: 'many', isDeep: true })
      exit.next.push(this.#states.length)
      return 3
    }
    if (!this.#startsWith('*')) return 0
    const isDeep = this.#startsWith('**')
    this.#states.push({ kind: 'many', isDeep })
    return isDeep ? 2 : 1
  }

  #parseCharacter(): number {
    const character = this.#characters[this.#at] as string
    if (character === '?') {
      this.#states.push({ kind: 'one', reads: isNoSlash })
      return 1
    }
    const inside = character === '[' ? this.#readClass() : undefined
    if (inside === undefined) {
      const reads = (other: string) => other === character
      this.#states.push({ kind: 'one', reads, literal: character })
      return 1
    }
    this.#states.push({ kind: 'one', reads: parseClass(inside) })
    return inside.length + 2
  }

  /** Characters between brackets; undefined if the bracket is text. A first `]` is a member. */
  #readClass(): readonly string[] | undefined {
    const first = this.#at + 1
    const start = first + (/^[!^]$/.test(this.#characters[first] ?? '') ? 1 : 0)
    for (let end = start + 1; end <= start + MAX_CLASS; end++) {
      const character = this.#characters[end]
      if (character === undefined || this.#characters[end - 1] === '/') return undefined
      if (character === ']') return this.#characters.slice(first, end)
    }
    return undefined
  }

  #fork(...next: number[]): { next: number[] } {
    const state: GlobState = { kind: 'fork', next }
    this.#states.push(state)
    return state
  }

  #startsWith(text: string): boolean {
    return [...text].every((each, at) => this.#characters[this.#at + at] === each)
  }

  /** True at the end of the glob or of an alternative. */
  #isEnd(at: number): boolean {
    const character = this.#characters[at]
    if (character === undefined) return true
    if (this.#choices.length === 0) return false
    return character === ',' || (character === '}' && this.#closed.has(at))
  }
}

function isSlash(character: string): boolean {
  return character === '/'
}

function isNoSlash(character: string): boolean {
  return character !== '/'
}

/** Positions of the braces that have a partner. */
function findClosedBraces(characters: readonly string[]): Set<number> {
  const closed = new Set<number>()
  const open: number[] = []
  for (const [at, character] of characters.entries()) {
    if (character === '{') open.push(at)
    const partner = character === '}' ? open.pop() : undefined
    if (partner !== undefined) closed.add(partner).add(at)
  }
  return closed
}

/** `a-z_` or `!a-z_`. */
function parseClass(inside: readonly string[]): (character: string) => boolean {
  const isNegated = /^[!^]$/.test(inside[0] ?? '')
  const ranges: [from: number, to: number][] = []
  for (let at = isNegated ? 1 : 0; at < inside.length; at++) {
    const from = inside[at]?.codePointAt(0) as number
    const to = inside[at + 1] === '-' ? inside[at + 2]?.codePointAt(0) : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return (character) => {
    const code = character.codePointAt(0) as number
    const isInside = ranges.some(([from, to]) => code >= from && code <= to)
    return character !== '/' && isInside !== isNegated
  }
}
