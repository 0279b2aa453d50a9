import type { Random } from './random.ts'
import { MAX_INPUT_BYTES } from './target.ts'

const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]
const TEXTS = [
  '',
  '\0',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '/',
  '../',
  '.',
  ',',
  ':',
  ';',
  '=',
  '#',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '<',
  '>',
  '*',
  '**',
  '?',
  '!',
  '%',
  '&',
  '|',
  '$',
  '`',
  '@',
  '~',
  '0',
  '-1',
  '1e999',
  '9007199254740993',
  '0x7f',
  'null',
  'true',
  '__proto__',
  'constructor',
  '\uFEFF',
  '\u202E',
  'é',
  '😀',
  '\u2028',
  'ſ',
  'İ',
  'xn--',
  '---',
  '"""',
  "'''",
  '<!--',
  '```',
].map((text) => Buffer.from(text))

type Change = (input: Buffer, random: Random, words: readonly Buffer[]) => Buffer

/** Returns a copy with one to four random changes. */
export function mutateBytes(
  input: Buffer,
  random: Random,
  { words, other }: { words: readonly Buffer[]; other: Buffer },
): Buffer {
  let result = input
  for (let left = 1 + random.below(4); left > 0; left--) {
    const change = random.isOneIn(12) ? splice(other) : random.pick(CHANGES)
    result = change(result, random, words)
  }
  return result.subarray(0, MAX_INPUT_BYTES)
}

const CHANGES: readonly Change[] = [
  flip,
  setByte,
  insertWord,
  insertWord,
  replaceByWord,
  remove,
].concat([duplicate, setNumber, repeat, copy])

function flip(input: Buffer, random: Random): Buffer {
  return setByteTo(input, random, (byte) => byte ^ (1 << random.below(8)))
}

function setByte(input: Buffer, random: Random): Buffer {
  return setByteTo(input, random, () => random.below(256))
}

function setByteTo(input: Buffer, random: Random, change: (byte: number) => number): Buffer {
  if (input.length === 0) return Buffer.of(random.below(256))
  const result = Buffer.from(input)
  const at = random.below(input.length)
  result[at] = change(result[at] as number) & 0xff
  return result
}

function pickWord(random: Random, words: readonly Buffer[]): Buffer {
  return random.pick(words.length > 0 && !random.isOneIn(3) ? words : TEXTS)
}

function insertWord(input: Buffer, random: Random, words: readonly Buffer[]): Buffer {
  return insertAt(input, random.below(input.length + 1), pickWord(random, words))
}

function replaceByWord(input: Buffer, random: Random, words: readonly Buffer[]): Buffer {
  const { start, end } = pickSpan(input, random)
  return Buffer.concat([input.subarray(0, start), pickWord(random, words), input.subarray(end)])
}

function remove(input: Buffer, random: Random): Buffer {
  const { start, end } = pickSpan(input, random)
  return Buffer.concat([input.subarray(0, start), input.subarray(end)])
}

function duplicate(input: Buffer, random: Random): Buffer {
  const { start, end } = pickSpan(input, random)
  return insertAt(input, end, input.subarray(start, end))
}

/** Repeats a short part until the input is long: quadratic work and deep nesting show. */
function repeat(input: Buffer, random: Random): Buffer {
  if (!random.isOneIn(6)) return duplicate(input, random)
  const { start, end } = pickSpan(input, random)
  const part = input.subarray(start, Math.min(end, start + 8))
  if (part.length === 0) return input
  const count = Math.floor((MAX_INPUT_BYTES - input.length) / part.length / random.pick([1, 4, 64]))
  return insertAt(
    input,
    start,
    Buffer.concat(Array.from({ length: Math.max(0, count) }, () => part)),
  )
}

function copy(input: Buffer, random: Random): Buffer {
  const { start, end } = pickSpan(input, random)
  return insertAt(input, random.below(input.length + 1), input.subarray(start, end))
}

/** Sets a number of 1, 2 or 4 bytes to an edge case, or next to the number of remaining bytes. */
function setNumber(input: Buffer, random: Random): Buffer {
  const width = random.pick([1, 2, 4])
  if (input.length < width) return input
  const result = Buffer.from(input)
  const at = random.below(input.length - width + 1)
  const rest = input.length - at - width + random.below(5) - 2
  const number = random.isOneIn(2) ? random.pick(EDGES) : Math.max(0, rest)
  const fitting = number % 2 ** (8 * width)
  if (random.isOneIn(4)) result.writeUIntLE(fitting, at, width)
  else result.writeUIntBE(fitting, at, width)
  return result
}

function splice(other: Buffer): Change {
  return (input, random) =>
    Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ])
}

function insertAt(input: Buffer, at: number, part: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), part, input.subarray(at)])
}

function pickSpan(input: Buffer, random: Random): { start: number; end: number } {
  const start = random.below(input.length + 1)
  const longest = random.pick([1, 4, 16, 64, input.length])
  return { start, end: Math.min(input.length, start + random.below(longest + 1)) }
}
