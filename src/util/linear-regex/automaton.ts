import { RegexSyntaxError } from './parse-regex.ts'
import { byteSet, WORDS, type Assertion, type Expression } from './syntax.ts'

/** States of the largest expression: each byte of a text costs at most as many steps. */
const MAX_STATES = 20_000
/** Sets of states that are remembered. Beyond it, all are computed again. */
const MAX_CACHED = 1000
/** States in all remembered sets together; bounds the memory of an expression with many states. */
const MAX_CACHED_STATES = 100_000
/** Sets that a search can begin with: one for each kind of byte before it. */
const MAX_STARTS = 8

/** A state without a set continues without reading a byte. */
interface State {
  set?: Uint8Array
  assertion?: Assertion
  next: number[]
}

export interface ReadResult {
  /** The set after the text. */
  set: number
  /** The last position at which no match had begun; 0 if there is none. */
  idleAt: number
  /** True if a match ended before the last byte. */
  hasMatch: boolean
}

/** A reading position's neighbours that assertions depend on. */
const WORD = 1
const BREAK = 2
const CONTINUATION = 4
/** A byte of a character beyond ASCII. */
const HIGH = 8

/**
 * An automaton that reads each byte once. It simulates all states at the same time and remembers
 * the sets of states that it met, so no text makes it slow.
 */
export class Automaton {
  /** Number of the set that a search begins with, at the start of a line. */
  readonly start = 0
  /** Changes when the numbers of sets become invalid. */
  epoch = 0
  readonly #states: State[] = []
  readonly #isUnanchored: boolean
  readonly #first: number
  readonly #accept: number
  /** Bytes that no part of the expression distinguishes have the same class. */
  readonly #classes: Uint8Array
  readonly #samples: readonly number[]
  /** Results of `step`, or -1. */
  readonly #table: Int32Array
  readonly #isIdle = new Uint8Array(MAX_CACHED + MAX_STARTS)
  #sets: { states: readonly number[]; behind: number }[] = []
  #numbers = new Map<string, number>()
  #cachedStates = 0
  #work = 0

  /** `isUnanchored`: a match may begin at every position. */
  constructor(expression: Expression, { isUnanchored }: { isUnanchored: boolean }) {
    this.#isUnanchored = isUnanchored
    this.#accept = this.#add({ next: [] })
    this.#first = this.#build(expression, this.#accept)
    const { classes, samples } = classifyBytes(this.#states)
    this.#classes = classes
    this.#samples = samples
    this.#table = new Int32Array((MAX_CACHED + MAX_STARTS) * samples.length).fill(-1)
    this.#intern([this.#first], BREAK)
  }

  /** Number of states that were visited because a set was not remembered. */
  get work(): number {
    return this.#work
  }

  /** The set after a byte, doubled, plus 1 if a match ended before the byte. */
  step(set: number, byte: number): number {
    const column = this.#classes[byte] as number
    const known = this.#table[set * this.#samples.length + column] as number
    return known === -1 ? this.#computeStep(set, column) : known
  }

  /** True if a match ends before this byte, or at the end of the text. */
  matchesBefore(set: number, byte: number | undefined): boolean {
    return this.#closure(set, byte === undefined ? BREAK : describeByte(byte)).has(this.#accept)
  }

  /** The set with which reading begins after this byte. */
  startAfter(byte: number | undefined): number {
    return byte === undefined ? this.start : this.#intern([this.#first], describeByte(byte))
  }

  /** Reads the text from a position on, as fast as possible. */
  read(text: string, from: number, first: number): ReadResult {
    const classes = this.#classes
    const table = this.#table
    const columns = this.#samples.length
    let [set, idleAt, matched] = [first, 0, 0]
    for (let at = from; at < text.length; at++) {
      const column = classes[text.charCodeAt(at)] as number
      let result = table[set * columns + column] as number
      if (result === -1) result = this.#computeStep(set, column)
      set = result >> 1
      matched |= result & 1
      if (this.#isIdle[set] === 1) idleAt = at + 1
    }
    return { set, idleAt, hasMatch: matched === 1 }
  }

  /**
   * Reads lines that are matched separately, from a position on. Returns the offset of the byte
   * before which the first match ends, at most that of its line's end; -1 and the last set if there
   * is none. Throws if `work` exceeds `maxWork`.
   */
  findInLines(
    bytes: Uint8Array,
    from: number,
    { first, maxWork }: { first: number; maxWork: number },
  ): { at: number; set: number } {
    const classes = this.#classes
    const table = this.#table
    const columns = this.#samples.length
    let set = first
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number
      const column = classes[byte] as number
      let result = table[set * columns + column] as number
      if (result === -1) {
        result = this.#computeStep(set, column)
        if (this.#work > maxWork)
          throw new RegexSyntaxError('it needs too many steps for this text')
      }
      if ((result & 1) === 1) return { at, set: this.start }
      set = byte === 10 ? this.start : result >> 1
    }
    return { at: -1, set }
  }

  /** True if no match is possible any more. */
  isDead(set: number): boolean {
    return (this.#sets[set] as { states: readonly number[] }).states.length === 0
  }

  /** True if no match has begun before this set was reached. */
  isIdle(set: number): boolean {
    return this.#isIdle[set] === 1
  }

  #computeStep(set: number, column: number): number {
    const byte = this.#samples[column] as number
    const closure = this.#closure(set, describeByte(byte))
    this.#work += closure.size
    const next = new Set<number>()
    for (const each of closure) {
      const state = this.#states[each] as State
      if (state.set?.[byte] === 1) for (const target of state.next) next.add(target)
    }
    if (this.#isUnanchored) next.add(this.#first)
    const isFull = this.#sets.length >= MAX_CACHED || this.#cachedStates > MAX_CACHED_STATES
    if (isFull) this.#forget()
    const sorted = [...next].sort((a, b) => a - b)
    const number = this.#intern(sorted, describeByte(byte))
    const result = number * 2 + (closure.has(this.#accept) ? 1 : 0)
    if (!isFull) this.#table[set * this.#samples.length + column] = result
    return result
  }

  #forget(): void {
    this.epoch += 1
    this.#sets = []
    this.#cachedStates = 0
    this.#numbers.clear()
    this.#table.fill(-1)
    this.#intern([this.#first], BREAK)
  }

  /** All states that are reached without reading a byte. */
  #closure(set: number, ahead: number): Set<number> {
    const { states, behind } = this.#sets[set] as { states: readonly number[]; behind: number }
    const reached = new Set(states)
    for (const each of reached) {
      const { set: bytes, assertion, next } = this.#states[each] as State
      if (bytes || (assertion && !holds(assertion, behind, ahead))) continue
      for (const target of next) reached.add(target)
    }
    return reached
  }

  #intern(states: readonly number[], behind: number): number {
    const key = `${behind}:${states.join()}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#sets.push({ states, behind }) - 1
    this.#cachedStates += states.length
    this.#isIdle[number] = states.length === 1 && states[0] === this.#first ? 1 : 0
    this.#numbers.set(key, number)
    return number
  }

  #add(state: State): number {
    if (this.#states.length >= MAX_STATES) throw new RegexSyntaxError('it is too complex')
    return this.#states.push(state) - 1
  }

  /** Adds the states of a part, and returns the first of them. */
  #build(part: Expression, next: number): number {
    switch (part.kind) {
      case 'bytes':
        return this.#add({ set: part.set, next: [next] })
      case 'assertion':
        return this.#add({ assertion: part.is, next: [next] })
      case 'sequence':
        return part.parts.reduceRight((following, each) => this.#build(each, following), next)
      case 'choice':
        return this.#add({ next: part.parts.map((each) => this.#build(each, next)) })
      case 'repeat':
        return this.#buildRepeat(part, next)
    }
  }

  #buildRepeat(
    { part, minimum, maximum }: Extract<Expression, { kind: 'repeat' }>,
    next: number,
  ): number {
    let first = next
    if (maximum === Infinity) {
      first = this.#add({ next: [next] })
      ;(this.#states[first] as State).next.push(this.#build(part, first))
    } else {
      for (let count = minimum; count < maximum; count++) {
        first = this.#add({ next: [next, this.#build(part, first)] })
      }
    }
    for (let count = 0; count < minimum; count++) first = this.#build(part, first)
    return first
  }
}

function describeByte(byte: number): number {
  if (byte >= 0x80) return byte < 0xc0 ? HIGH | CONTINUATION : HIGH
  return (WORDS[byte] === 1 ? WORD : 0) | (byte === 10 ? BREAK : 0)
}

function holds(assertion: Assertion, behind: number, ahead: number): boolean {
  switch (assertion) {
    case 'lineStart':
      return (behind & BREAK) !== 0
    case 'lineEnd':
      return (ahead & BREAK) !== 0
    case 'wordBorder':
      return ((behind ^ ahead) & WORD) !== 0
    case 'noWordBorder':
      return ((behind ^ ahead) & WORD) === 0
    case 'noContinuationAhead':
      return (ahead & CONTINUATION) === 0
    case 'noContinuationBehind':
      return (behind & CONTINUATION) === 0
    case 'asciiAhead':
      return (ahead & HIGH) === 0
    case 'asciiBehind':
      return (behind & HIGH) === 0
  }
}

/** Groups the bytes that all sets treat alike. */
function classifyBytes(states: readonly State[]): { classes: Uint8Array; samples: number[] } {
  const sets = new Set([WORDS, byteSet([10, 10]), ...states.flatMap(({ set }) => set ?? [])])
  // Most sets are a single byte, so the same ones occur often.
  const distinct = new Map([...sets].map((set) => [Buffer.from(set).toString('latin1'), set]))
  let keys: number[] = Array.from({ length: 256 }, () => 0)
  for (const set of distinct.values()) {
    const numbers = new Map<number, number>()
    keys = keys.map((key, byte) => {
      const pair = key * 2 + (set[byte] as number)
      if (!numbers.has(pair)) numbers.set(pair, numbers.size)
      return numbers.get(pair) as number
    })
  }
  const firsts = [...new Set(keys)]
  const samples = firsts.map((key) => keys.indexOf(key))
  return { classes: Uint8Array.from(keys, (key) => firsts.indexOf(key)), samples }
}
