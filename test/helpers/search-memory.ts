import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** Bytes between two places at which a text is compared. */
const STEP = 8
const CHUNK = 16 * 1024 * 1024
const PAGE = 4096

/** Finds many texts in much memory, in the time of one. */
export class TextSearch {
  /** Which texts have these four bytes in one of their first places, and in which. */
  readonly #anchors = new Map<number, { name: string; text: Buffer; at: number }[]>()
  readonly #filter = new Uint8Array(65_536)
  readonly #longest: number

  constructor(texts: ReadonlyMap<string, Buffer>) {
    for (const [name, text] of texts) {
      if (text.length < STEP + 3) throw new Error(`${name} is too short to be searched`)
      for (let at = 0; at < STEP; at++) {
        const anchor = text.readUInt32LE(at)
        this.#anchors.set(anchor, [...(this.#anchors.get(anchor) ?? []), { name, text, at }])
        this.#filter[hash(anchor)] = 1
      }
    }
    this.#longest = Math.max(...[...texts.values()].map(({ length }) => length))
  }

  /** Names of the texts in these bytes. */
  find(bytes: Buffer, found = new Set<string>()): Set<string> {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2)
    for (let at = 0; at < words.length; at += STEP / 4) {
      const word = words[at] ?? 0
      if (this.#filter[hash(word)] === 0) continue
      for (const { name, text, at: offset } of this.#anchors.get(word) ?? []) {
        const start = at * 4 - offset
        if (start >= 0 && text.equals(aligned.subarray(start, start + text.length))) found.add(name)
      }
    }
    return found
  }

  /** Names of the texts in all memory of a process, its environment included. */
  findInProcess(pid: number, found = new Set<string>()): Set<string> {
    const memory = openSync(`/proc/${pid}/mem`, 'r')
    const pages = openSync(`/proc/${pid}/pagemap`, 'r')
    const chunk = Buffer.allocUnsafeSlow(CHUNK)
    for (const region of listRegions(pid)) {
      for (const [start, end] of listUsedParts(pages, region)) {
        for (let at = start; at < end; at += CHUNK - this.#longest - STEP) {
          const length = Math.min(CHUNK, end - at)
          this.find(chunk.subarray(0, readPart(memory, chunk, { at, length })), found)
        }
      }
    }
    closeSync(memory)
    closeSync(pages)
    return found
  }
}

function hash(word: number): number {
  return (word ^ (word >>> 16)) & 0xffff
}

type Part = readonly [start: number, end: number]

/** Readable memory, without what is the unchanged content of a file of the system. */
function listRegions(pid: number): Part[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, start, end, write, path = ''] =
        /^([0-9a-f]+)-([0-9a-f]+) r(.)\S+ \S+ \S+ \d+ *(.*)/.exec(line) ?? []
      if (start === undefined || end === undefined) return []
      return write === '-' && path.startsWith('/usr/')
        ? []
        : [[parseInt(start, 16), parseInt(end, 16)]]
    })
}

/** The parts of a region that have a page: others were never written. */
function listUsedParts(pages: number, [start, end]: Part): Part[] {
  const entries = Buffer.alloc(((end - start) / PAGE) * 8)
  readSync(pages, entries, 0, entries.length, (start / PAGE) * 8)
  const parts: [number, number][] = []
  for (let at = start; at < end; at += PAGE) {
    // The two highest bits are those of pages in memory and of swapped ones.
    if ((entries[((at - start) / PAGE) * 8 + 7] ?? 0) < 0x40) continue
    const last = parts.at(-1)
    if (last?.[1] === at) last[1] = at + PAGE
    else parts.push([at, at + PAGE])
  }
  return parts
}

function readPart(file: number, into: Buffer, { at, length }: { at: number; length: number }) {
  try {
    return readSync(file, into, 0, length, at)
  } catch {
    // Some pages of the kernel cannot be read.
    return 0
  }
}

/** All processes below one, from their parents. */
export function listDescendants(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has ended.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0
    return parent === root || (parent > 1 && isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}
