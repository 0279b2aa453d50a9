import {
  byteSet,
  DIGITS,
  invertAscii,
  NON_ASCII,
  SPACES,
  WORDS,
  type Expression,
} from './syntax.ts'

/** Characters of the longest pattern. */
const MAX_PATTERN = 1000
const MAX_REPEAT = 1000
const MAX_DEPTH = 50

/** Thrown for a pattern that is not valid or not supported. */
export class RegexSyntaxError extends Error {}

/** Lists all case variants of a character, itself first. */
type CaseForms = (character: string) => readonly string[]

/**
 * Parses a regular expression. Only syntax that is matched in linear time is supported: no
 * back-references and no lookaround. `(?i)` at the beginning ignores case.
 */
export function parseRegex(pattern: string, listCaseForms: CaseForms): Expression {
  const ignoresCase = pattern.startsWith('(?i)')
  const body = ignoresCase ? pattern.slice(4) : pattern
  if (body.length > MAX_PATTERN) {
    throw new RegexSyntaxError(`it has more than ${MAX_PATTERN} characters`)
  }
  const forms = ignoresCase ? listCaseForms : (character: string) => [character]
  return new Parser([...body], forms).parse()
}

const CLASSES: Readonly<Record<string, Uint8Array>> = { d: DIGITS, w: WORDS, s: SPACES }
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }
const NO_BREAK = byteSet([0, 9], [11, 127])

class Parser {
  readonly #characters: readonly string[]
  readonly #listForms: CaseForms
  #at = 0
  #depth = 0

  constructor(characters: readonly string[], listForms: CaseForms) {
    this.#characters = characters
    this.#listForms = listForms
  }

  parse(): Expression {
    const expression = this.#parseChoice()
    if (this.#at < this.#characters.length) throw this.#fail('")" closes no group')
    return expression
  }

  #parseChoice(): Expression {
    const parts = [this.#parseSequence()]
    while (this.#take('|')) parts.push(this.#parseSequence())
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'choice', parts }
  }

  #parseSequence(): Expression {
    const parts: Expression[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')';) {
      parts.push(this.#parseRepeat(this.#parseAtom()))
      next = this.#peek()
    }
    return { kind: 'sequence', parts }
  }

  #parseRepeat(part: Expression): Expression {
    const range = this.#readRange()
    if (!range) return part
    const [minimum, maximum] = range
    if (part.kind === 'assertion') throw this.#fail('an assertion cannot be repeated')
    if (maximum !== Infinity && maximum > MAX_REPEAT) {
      throw this.#fail(`a part is repeated more than ${MAX_REPEAT} times`)
    }
    if (minimum > maximum) throw this.#fail('the numbers of a repetition are in the wrong order')
    // Both forms find the same lines. Ranges are always the longest.
    this.#take('?')
    if (this.#peek() === '*' || this.#peek() === '+') throw this.#fail('a repetition is repeated')
    return { kind: 'repeat', part, minimum, maximum }
  }

  #readRange(): [number, number] | undefined {
    if (this.#take('*')) return [0, Infinity]
    if (this.#take('+')) return [1, Infinity]
    if (this.#take('?')) return [0, 1]
    const rest = this.#characters.slice(this.#at, this.#at + 12).join('')
    const [all, from, comma, to] = /^\{(\d{1,4})(,)?(\d{1,4})?\}/.exec(rest) ?? []
    if (all === undefined) return undefined
    this.#at += all.length
    const minimum = Number(from)
    if (minimum > MAX_REPEAT) throw this.#fail(`a part is repeated more than ${MAX_REPEAT} times`)
    return [minimum, to !== undefined ? Number(to) : comma === undefined ? minimum : Infinity]
  }

  #parseAtom(): Expression {
    const character = this.#characters[this.#at++] as string
    switch (character) {
      case '(':
        return this.#parseGroup()
      case '[':
        return this.#parseClass()
      case '.':
        return { kind: 'choice', parts: [{ kind: 'bytes', set: NO_BREAK }, NON_ASCII] }
      case '^':
        return { kind: 'assertion', is: 'lineStart' }
      case '$':
        return { kind: 'assertion', is: 'lineEnd' }
      case '*':
      case '+':
      case '?':
        throw this.#fail(`"${character}" repeats nothing`)
      case '\\':
        return this.#parseEscape()
      default:
        return this.#toLiteral(character)
    }
  }

  #parseGroup(): Expression {
    if (this.#take('?')) {
      const isNamed = this.#peek() === '<' && !'=!'.includes(this.#characters[this.#at + 1] ?? '=')
      if (isNamed) while (this.#at < this.#characters.length && !this.#take('>')) this.#at += 1
      else if (!this.#take(':')) throw this.#fail('lookaround and flags are not supported')
    }
    if (++this.#depth > MAX_DEPTH) throw this.#fail(`more than ${MAX_DEPTH} groups are nested`)
    const inner = this.#parseChoice()
    this.#depth -= 1
    if (!this.#take(')')) throw this.#fail('a group is not closed')
    return inner
  }

  #parseEscape(): Expression {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw this.#fail('it ends with a backslash')
    if (character === 'b') return { kind: 'assertion', is: 'wordBorder' }
    if (character === 'B') return { kind: 'assertion', is: 'noWordBorder' }
    if (/[1-9k]/.test(character)) throw this.#fail('back-references are not supported')
    const set = CLASSES[character.toLowerCase()]
    if (set) return character in CLASSES ? { kind: 'bytes', set } : createNegated(set)
    return this.#toLiteral(this.#decodeEscape(character))
  }

  #decodeEscape(character: string): string {
    if (character in ESCAPES) return ESCAPES[character] as string
    const rest = this.#characters.slice(this.#at, this.#at + 8).join('')
    const [all, digits] =
      (character === 'x' ? /^([\da-fA-F]{2})/ : /^(?:([\da-fA-F]{4})|\{([\da-fA-F]{1,6})\})/).exec(
        'xu'.includes(character) ? rest : '',
      ) ?? []
    if (all !== undefined) {
      this.#at += all.length
      return String.fromCodePoint(Number.parseInt(digits ?? all.slice(1, -1), 16) % 0x110000)
    }
    if (/[A-Za-z0-9]/.test(character)) throw this.#fail(`"\\${character}" is not supported`)
    return character
  }

  #parseClass(): Expression {
    const isNegated = this.#take('^')
    if (this.#peek() === ']') throw this.#fail('a class is empty')
    const set = new Uint8Array(256)
    const others: Expression[] = []
    let isAscii = true
    while (!this.#take(']')) isAscii = this.#parseClassPart(set, others) && isAscii
    if (!isNegated) return { kind: 'choice', parts: [{ kind: 'bytes', set }, ...others] }
    // The variants of k and s beyond ASCII are not excluded: `(?i)[^k]` finds the Kelvin sign.
    if (!isAscii) throw this.#fail('a negated class may list ASCII characters only')
    return createNegated(set)
  }

  /** Adds a part of a class; true if it lists only ASCII characters. */
  #parseClassPart(set: Uint8Array, others: Expression[]): boolean {
    const from = this.#parseClassItem()
    if (from instanceof Uint8Array) {
      for (const [byte, flag] of from.entries()) set[byte] ||= flag
      return true
    }
    const isRange = this.#peek() === '-' && this.#characters[this.#at + 1] !== ']'
    if (isRange) this.#at += 1
    const to = isRange ? this.#parseClassItem() : from
    if (typeof to !== 'string') throw this.#fail('a range in a class has no end')
    this.#addRange({ from, to, set, others })
    return (from.codePointAt(0) as number) < 128
  }

  #addRange(range: { from: string; to: string; set: Uint8Array; others: Expression[] }): void {
    const { from, to, set, others } = range
    const [first, last] = [from.codePointAt(0) as number, to.codePointAt(0) as number]
    if (first > last) throw this.#fail('a range in a class is in the wrong order')
    if (last > 127 && first !== last) throw this.#fail('a range in a class may be ASCII only')
    for (let code = first; code <= last; code++) {
      for (const form of this.#listForms(String.fromCodePoint(code))) {
        if (form.charCodeAt(0) < 128) set[form.charCodeAt(0)] = 1
        else others.push(toBytes(form))
      }
    }
  }

  /** A character, or the set of an escape such as `\d`. */
  #parseClassItem(): string | Uint8Array {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw this.#fail('a class is not closed')
    if (character !== '\\') return character
    const escaped = this.#characters[this.#at++] ?? ''
    if (escaped === 'b') return '\b'
    const set = CLASSES[escaped.toLowerCase()]
    if (!set) return escaped === '' ? character : this.#decodeEscape(escaped)
    if (!(escaped in CLASSES)) throw this.#fail(`"\\${escaped}" is not supported in a class`)
    return set
  }

  #toLiteral(character: string): Expression {
    const parts = this.#listForms(character).map(toBytes)
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'choice', parts }
  }

  #peek(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at += 1
    return true
  }

  #fail(reason: string): RegexSyntaxError {
    return new RegexSyntaxError(reason)
  }
}

function toBytes(character: string): Expression {
  const parts = [...Buffer.from(character)].map((byte): Expression => {
    return { kind: 'bytes', set: byteSet([byte, byte]) }
  })
  return parts.length === 1 ? (parts[0] as Expression) : { kind: 'sequence', parts }
}

/** All other characters, in ASCII or not. */
function createNegated(set: Uint8Array): Expression {
  return { kind: 'choice', parts: [{ kind: 'bytes', set: invertAscii(set) }, NON_ASCII] }
}
