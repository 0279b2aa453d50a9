import type { LoadMode } from '../../src/core/skill-context/session-state.ts'

/** Documents of each skill in the model. */
export const DOCS = ['ONE.md', 'TWO.md']

interface Known {
  docs: Set<string>
  isLoaded: boolean
  isRead: boolean
  /** Texts in a request; with the number of that request if a text is shown only once. */
  parts: Map<string, number | undefined>
}

/** Reference model of loads, kept as simple as possible. */
export class Model {
  readonly skills = new Map<string, Known>()
  readonly mode: LoadMode
  readonly most: number

  constructor(mode: LoadMode, limit: number) {
    this.mode = mode
    this.most = limit
  }

  load(name: string, wanted: readonly string[] | undefined): void {
    const skill = this.touch(name)
    if (wanted) skill.docs = new Set(wanted)
    skill.isLoaded = true
    skill.isRead = true
    this.show(skill, [name, ...skill.docs])
    this.prune(name, skill)
    this.evict()
  }

  select(name: string, { mode, ...step }: { mode: string; docs: string[]; all: boolean }): void {
    const skill = this.touch(name)
    const requested = mode === 'clear' ? [] : step.all ? DOCS : step.docs
    skill.docs = new Set(mode === 'add' ? [...skill.docs, ...requested] : requested)
    if (this.mode === 'once' && skill.isRead && requested.length > 0) skill.isLoaded = true
    if (skill.isLoaded) this.show(skill, this.mode === 'once' ? requested : [name, ...skill.docs])
    this.prune(name, skill)
    this.evict()
  }

  turn(): void {
    if (this.mode === 'turn') for (const skill of this.skills.values()) this.forget(skill)
  }

  request(length: number): void {
    if (this.mode !== 'once') return
    for (const skill of this.skills.values()) {
      for (const [part, at] of skill.parts) {
        if (at !== undefined && at !== length) skill.parts.delete(part)
        else skill.parts.set(part, length)
      }
      if (skill.isLoaded && skill.parts.size === 0) this.forget(skill)
    }
  }

  get loaded(): string[] {
    return [...this.skills].filter(([, each]) => each.isLoaded).map(([name]) => name)
  }

  get texts(): string[] {
    return [...this.skills].flatMap(([name, { parts }]) =>
      [...parts.keys()].map((part) => (part === name ? `<${name}>` : `<${name}/${part}>`)),
    )
  }

  private touch(name: string): Known {
    const skill = this.skills.get(name) ?? {
      docs: new Set<string>(),
      isLoaded: false,
      isRead: false,
      parts: new Map<string, number | undefined>(),
    }
    this.skills.delete(name)
    this.skills.set(name, skill)
    return skill
  }

  private show(skill: Known, texts: readonly string[]): void {
    for (const part of texts) skill.parts.set(part, undefined)
  }

  private prune(name: string, skill: Known): void {
    for (const part of skill.parts.keys()) {
      if (part !== name && !skill.docs.has(part)) skill.parts.delete(part)
    }
  }

  private evict(): void {
    const loaded = [...this.skills.values()].filter((each) => each.isLoaded)
    if (this.most === 0) return
    for (const skill of loaded.slice(0, Math.max(0, loaded.length - this.most))) this.forget(skill)
  }

  private forget(skill: Known): void {
    skill.isLoaded = false
    skill.docs = new Set()
    skill.parts = new Map()
  }
}
