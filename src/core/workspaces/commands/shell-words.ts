import { SkillsError } from '../../../errors.ts'

const MAX_BYTES = 16 * 1024
const MAX_SEGMENTS = 32
const OPERATORS = /^(?:&&|\|\||[|;])/
const KEYWORDS = new Set(
  'if then else elif fi for while until do done case esac function select in time coproc {'.split(
    ' ',
  ),
)

/** One word of a command line, without quotes. */
export interface ShellWord {
  text: string
  /** True if no part of it was quoted or escaped. */
  isBare: boolean
}

/** Reason why command lists cannot be applied to a command line. */
export class NotPlainCommandError extends Error {}

/**
 * Splits a line into commands: words with quotes, and operators between them. All other shell
 * syntax is rejected by name, because its effect cannot be determined from the text.
 */
export function readSegments(line: string): ShellWord[][] {
  if (Buffer.byteLength(line) > MAX_BYTES)
    throw new NotPlainCommandError('it is longer than 16 KiB')
  const reader = new ShellReader(line)
  const segments: ShellWord[][] = [[]]
  for (let token = reader.next(); token !== undefined; token = reader.next()) {
    if (token === 'join') segments.push([])
    else segments.at(-1)?.push(token)
  }
  if (segments.at(-1)?.length === 0 && segments.length > 1 && /;\s*$/.test(line)) segments.pop()
  if (segments.length > MAX_SEGMENTS)
    throw new NotPlainCommandError(`it has more than ${MAX_SEGMENTS} parts`)
  for (const segment of segments) checkSegment(segment)
  return segments
}

function checkSegment([first]: readonly ShellWord[]): void {
  if (!first) throw new NotPlainCommandError('a command is missing')
  if (first.isBare && KEYWORDS.has(first.text))
    throw new NotPlainCommandError(`"${first.text}" is shell syntax`)
  if (first.isBare && /^\w+\+?=/.test(first.text))
    throw new NotPlainCommandError('it assigns a variable')
  if (first.text === '') throw new NotPlainCommandError('the name of a command is empty')
}

/** Reads a line word by word. */
class ShellReader {
  #line: string
  #at = 0

  constructor(line: string) {
    this.#line = line
  }

  next(): ShellWord | 'join' | undefined {
    while (/^[ \t]/.test(this.#line.slice(this.#at, this.#at + 1))) this.#at += 1
    if (this.#at >= this.#line.length) return undefined
    const operator = OPERATORS.exec(this.#line.slice(this.#at, this.#at + 2))?.[0]
    if (operator === undefined) return this.#readWord()
    const after = this.#line[this.#at + operator.length]
    if (operator === '|' && after === '&') throw new NotPlainCommandError('it uses |&')
    if (operator === ';' && after === ';') throw new NotPlainCommandError('it uses ;;')
    this.#at += operator.length
    return 'join'
  }

  #readWord(): ShellWord {
    let [text, isBare] = ['', true]
    for (;;) {
      const character = this.#line[this.#at]
      if (character === undefined || /[ \t|;]/.test(character)) break
      if (character === '&' && this.#line[this.#at + 1] === '&') break
      if (character === "'" || character === '"' || character === '\\') isBare = false
      text += this.#readPiece(character)
    }
    return { text, isBare }
  }

  #readPiece(character: string): string {
    if (character === "'") return this.#readSingleQuoted()
    if (character === '"') return this.#readDoubleQuoted()
    if (character === '\\') return this.#readEscaped()
    if (this.#line.startsWith('{}', this.#at)) {
      this.#at += 2
      return '{}'
    }
    const reason = SYNTAX[character] ?? (isControl(character) ? 'a control character' : undefined)
    if (reason !== undefined) throw new NotPlainCommandError(`it has ${reason}`)
    this.#at += 1
    return character
  }

  #readSingleQuoted(): string {
    const end = this.#line.indexOf("'", this.#at + 1)
    if (end === -1) throw new NotPlainCommandError('a quote is not closed')
    const text = this.#line.slice(this.#at + 1, end)
    checkNoControl(text)
    this.#at = end + 1
    return text
  }

  #readDoubleQuoted(): string {
    let text = ''
    for (this.#at += 1; ; this.#at++) {
      const character = this.#line[this.#at]
      if (character === undefined) throw new NotPlainCommandError('a quote is not closed')
      if (character === '"') break
      if (character === '$' || character === '`')
        throw new NotPlainCommandError(`it has ${SYNTAX[character]}`)
      const next = this.#line[this.#at + 1] ?? ''
      // Before other characters, the shell keeps the backslash.
      const isEscape = character === '\\' && '$`"\\'.includes(next) && next !== ''
      checkNoControl(isEscape ? next : character)
      text += isEscape ? next : character
      if (isEscape) this.#at += 1
    }
    this.#at += 1
    return text
  }

  #readEscaped(): string {
    const next = this.#line[this.#at + 1]
    if (next === undefined) throw new NotPlainCommandError('it ends with a backslash')
    checkNoControl(next)
    this.#at += 2
    return next
  }
}

const SYNTAX: Readonly<Record<string, string>> = {
  '\n': 'a line break',
  '\r': 'a line break',
  $: 'an expansion ($)',
  '`': 'a command substitution (`)',
  '<': 'a redirection (<)',
  '>': 'a redirection (>)',
  '&': 'a background command (&)',
  '(': 'a subshell or function (()',
  ')': 'a subshell or function ())',
  '{': 'a group or brace expansion ({)',
  '}': 'a group or brace expansion (})',
  '*': 'a glob (*)',
  '?': 'a glob (?)',
  '[': 'a glob ([)',
  ']': 'a glob (])',
  '#': 'a comment (#)',
  '!': 'a negation or history (!)',
  '~': 'a home folder (~)',
}

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f'
}

function checkNoControl(text: string): void {
  if ([...text].some((each) => isControl(each) && each !== '\t')) {
    throw new NotPlainCommandError(
      /[\r\n]/.test(text) ? 'it has a line break' : 'it has a control character',
    )
  }
}

/** Converts the rejection of a line into an error. */
export function toCommandDeniedError(line: string, { message }: NotPlainCommandError): SkillsError {
  const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line
  const reason = `only plain commands can be checked against the command lists, but ${message}`
  return new SkillsError('policy/denied', `The command "${shown}" is refused: ${reason}`, {
    hint: 'Put it into a script of the skill, or call one program with plain arguments',
    data: { reasons: [reason], param: 'command' },
  })
}
