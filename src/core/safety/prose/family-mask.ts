import { FAMILIES, type FamilyName } from './families.ts'
import type { Slot } from './frame.ts'

/** A set of families, in three numbers of 30 bits. */
export interface Mask {
  low: number
  mid: number
  high: number
}

const WIDTH = 30

function toBit(at: number): number {
  return at >= 0 && at < WIDTH ? 1 << at : 0
}

function createMask(): Mask {
  return { low: 0, mid: 0, high: 0 }
}

const BITS: ReadonlyMap<FamilyName, Mask> = new Map(
  [...FAMILIES.keys(), 'host' as const].map((name, at) => [
    name,
    { low: toBit(at), mid: toBit(at - WIDTH), high: toBit(at - 2 * WIDTH) },
  ]),
)

/** Families that a sentence may have without a word of them. */
const OPEN = joinMasks(
  [...FAMILIES]
    .filter(([, { phrase, signs }]) => phrase !== undefined && signs === undefined)
    .map(([name]) => name)
    .concat('host'),
)

function joinMasks(names: readonly FamilyName[]): Mask {
  const joined = createMask()
  for (const name of names) add(joined, BITS.get(name) as Mask)
  return joined
}

export function toMask(slot: Slot): Mask {
  return joinMasks(typeof slot === 'string' ? [slot] : slot)
}

export function meets(a: Mask, b: Mask): boolean {
  return (a.low & b.low) !== 0 || (a.mid & b.mid) !== 0 || (a.high & b.high) !== 0
}

function add(mask: Mask, { low, mid, high }: Mask): void {
  mask.low |= low
  mask.mid |= mid
  mask.high |= high
}

/** For a word: the families that it belongs to, and those whose phrases may have it. */
const INDEX: ReadonlyMap<string, { held: Mask; open: Mask }> = indexWords()

function indexWords() {
  const index = new Map<string, { held: Mask; open: Mask }>()
  for (const [name, { words, signs = [] }] of FAMILIES) {
    const bit = BITS.get(name) as Mask
    for (const word of [...words, ...signs]) {
      const known = index.get(word) ?? {
        held: createMask(),
        open: createMask(),
      }
      index.set(word, known)
      add(known.open, bit)
    }
    for (const word of words) add(index.get(word)?.held as Mask, bit)
  }
  return index
}

/** The families that a text in lower case has, and those that it may have. */
export function findFamilies(text: string): { held: Mask; open: Mask } {
  const held = createMask()
  const open = { ...OPEN }
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 32
    const isWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 45
    if (isWord) {
      if (from === -1) from = at
      continue
    }
    if (from === -1) continue
    const known = INDEX.get(text.slice(from, at))
    from = -1
    if (!known) continue
    add(held, known.held)
    add(open, known.open)
  }
  return { held, open }
}

export function holds(mask: Mask, name: FamilyName): boolean {
  return meets(mask, BITS.get(name) as Mask)
}
