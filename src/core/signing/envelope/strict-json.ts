import { SkillsError } from '../../../errors.ts'
import { findRepeatedKey } from '../../../util/text/json-tree.ts'
import { findDeepNesting } from '../../skills/manifest/nesting.ts'

/** Builds the error for a text or a value that is not as expected. */
export type RefuseJson = (problem: string) => Error

/**
 * Parses JSON in which no object has a key twice: parsers differ in the value that they use, so a
 * signed text would have two meanings.
 */
export function parseStrictJson(text: string, refuse: RefuseJson): JsonValue {
  if (findDeepNesting(text) !== undefined) throw refuse('it is nested too deeply')
  let value: unknown
  try {
    value = JSON.parse(text) as unknown
  } catch {
    throw refuse('it is not JSON')
  }
  const repeated = findRepeatedKey(text)
  if (repeated) throw refuse(`the key ${JSON.stringify(repeated.name)} is there twice`)
  return new JsonValue(value, '', refuse)
}

const MAX_SHOWN = 60

/** A value of parsed JSON, and its place for messages. */
export class JsonValue {
  readonly value: unknown
  readonly #path: string
  readonly #refuse: RefuseJson

  constructor(value: unknown, path: string, refuse: RefuseJson) {
    this.value = value
    this.#path = path
    this.#refuse = refuse
  }

  get isAbsent(): boolean {
    return this.value === undefined
  }

  /** Returns the error for this value. */
  refuse(expected: string): Error {
    const shown = JSON.stringify(this.value) ?? 'missing'
    const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown
    return this.#refuse(`${this.#path || 'it'} is ${short}, expected ${expected}`)
  }

  /** A member of an object. */
  at(name: string): JsonValue {
    const value = this.#object()
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    return new JsonValue(member, this.#path ? `${this.#path}.${name}` : name, this.#refuse)
  }

  /** All members of an object, for keys that are data. */
  members(limit: number): [name: string, member: JsonValue][] {
    const names = Object.keys(this.#object())
    if (names.length > limit) throw this.#refuse(`${this.#path} has more than ${limit} members`)
    return names.map((name) => [name, this.at(name)])
  }

  #object(): Record<string, unknown> {
    const { value } = this
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
    throw this.refuse('an object')
  }

  /** Refuses members of other names. */
  only(...names: readonly string[]): this {
    for (const name of Object.keys(this.value ?? {})) {
      if (!names.includes(name)) throw this.at(name).refuse(`one of the keys ${names.join(', ')}`)
    }
    return this
  }

  list(limit: number): JsonValue[] {
    const { value } = this
    if (!Array.isArray(value)) throw this.refuse('a list')
    if (value.length > limit) throw this.#refuse(`${this.#path} has more than ${limit} elements`)
    return value.map((each, at) => new JsonValue(each, `${this.#path}[${at}]`, this.#refuse))
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.refuse('a text')
    return this.value
  }

  texts(limit: number): string[] {
    return this.list(limit).map((each) => each.text())
  }

  matching(pattern: RegExp, expected: string): string {
    const text = this.text()
    if (!pattern.test(text)) throw this.refuse(expected)
    return text
  }

  count(): number {
    const { value } = this
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw this.refuse('a whole number from 0')
    }
    return value
  }

  /** A point in time, such as `2027-01-31T00:00:00.000Z`. */
  time(): string {
    const text = this.matching(TIME, 'a time such as "2027-01-31T00:00:00.000Z"')
    if (Number.isNaN(Date.parse(text))) throw this.refuse('a time that exists')
    return text
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

/** Parses a text by a function that throws; its error becomes one of the document. */
export function parsePlain<T>(value: JsonValue, expected: string, parse: (text: string) => T): T {
  const text = value.text()
  try {
    return parse(text)
  } catch (thrown) {
    if (thrown instanceof SkillsError) throw value.refuse(expected)
    throw thrown
  }
}
