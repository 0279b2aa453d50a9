import { parseGlob, type GlobState } from './parse-glob.ts'

/** States of a glob after a part of a path. An empty list matches nothing that begins like it. */
export type GlobPosition = readonly number[]

/** Names that a position can only continue with. */
const MAX_NAMES = 16

/**
 * A glob for forward-slash paths: `*`, `**`, `?`, `[…]`, `{a,b}`. All states are followed at the same
 * time, so a path costs at most its length times that of the glob, whatever the glob is.
 */
export class Glob {
  /** Position before a path. */
  readonly start: GlobPosition
  readonly #states: readonly GlobState[]
  /** The last turn in which a state was reached. */
  readonly #reached: Uint32Array
  #turn = 0
  #steps = 0

  constructor(glob: string) {
    this.#states = parseGlob(glob)
    this.#reached = new Uint32Array(this.#states.length)
    this.start = this.#close([0])
  }

  /** States that were visited so far: the work of this glob. */
  get steps(): number {
    return this.#steps
  }

  matches(path: string): boolean {
    return this.accepts(this.advance(this.start, path))
  }

  /** Reads the next part of a path. `isLink`: the part is the slash after a link to a folder. */
  advance(position: GlobPosition, text: string, { isLink = false } = {}): GlobPosition {
    let current = position
    for (const character of text) {
      if (current.length === 0) return current
      const next: number[] = []
      for (const at of current) {
        const state = this.#states[at] as GlobState
        if (isLink && 'isDeep' in state && state.isDeep) continue
        if (readsCharacter(state, character)) next.push(state.kind === 'many' ? at : at + 1)
      }
      current = this.#close(next)
    }
    return current
  }

  accepts(position: GlobPosition): boolean {
    return position.includes(this.#states.length - 1)
  }

  /** The only names with which a path can continue; undefined if they are not known or many. */
  listNames(position: GlobPosition): string[] | undefined {
    const names = new Set<string>()
    const open = [{ name: '', position }]
    for (let path = open.pop(); path; path = open.pop()) {
      const next = new Set(path.position.map((at) => this.#readLiteral(at)))
      const count = names.size + open.length + next.size
      if (next.has(undefined) || count > MAX_NAMES) return undefined
      for (const literal of next as Set<string>) {
        if (literal === '/' || literal === '') names.add(path.name)
        else
          open.push({ name: path.name + literal, position: this.advance(path.position, literal) })
      }
    }
    return [...names]
  }

  /** The character that a state reads; empty at the end, undefined if there are several. */
  #readLiteral(at: number): string | undefined {
    const state = this.#states[at] as GlobState
    if (state.kind === 'end') return ''
    return state.kind === 'one' ? state.literal : undefined
  }

  /** All states that are reached without reading a character. */
  #close(states: number[]): GlobPosition {
    this.#turn += 1
    const reached: number[] = []
    for (let at = states.pop(); at !== undefined; at = states.pop()) {
      this.#steps += 1
      if (this.#reached[at] === this.#turn) continue
      this.#reached[at] = this.#turn
      const state = this.#states[at] as GlobState
      if (state.kind !== 'fork') reached.push(at)
      else for (const each of state.next) states.push(each)
      if (state.kind === 'many') states.push(at + 1)
    }
    return reached
  }
}

function readsCharacter(state: GlobState, character: string): boolean {
  if (state.kind === 'one') return state.reads(character)
  return state.kind === 'many' && (state.isDeep || character !== '/')
}

/** Compiles a glob into a test for paths. */
export function compileGlob(glob: string): (path: string) => boolean {
  const plain = glob.replace(/^\.\//, '')
  if (!/[*?[{]/.test(plain)) return (path) => path === plain
  const compiled = new Glob(plain)
  return (path) => compiled.matches(path)
}
