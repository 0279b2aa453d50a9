import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'

/** Lookup of ids of one kind. */
export interface IdLookup {
  /** `blob:` or `run_`; optional in input. */
  prefix: string
  /** As in "Unknown blob". */
  noun: 'blob' | 'run'
  find(start: string, limit: number): Promise<string[]>
  /** Candidates for suggestions, newest first. */
  recent(): Promise<readonly string[]>
}

const MIN_ID_CHARACTERS = 4
const MAX_SHOWN_IDS = 5

/** Completes an id from an unambiguous prefix. */
export async function findId(word: string, ids: IdLookup): Promise<string> {
  const { prefix, noun } = ids
  const id = word.startsWith(prefix) ? word : `${prefix}${word}`
  const start = id.slice(prefix.length)
  const found = /^[0-9a-f]+$/.test(start) ? await ids.find(id, MAX_SHOWN_IDS + 1) : []
  if (found.includes(id)) return id
  if (start.length < MIN_ID_CHARACTERS && found.length > 0) {
    throw new SkillsError(
      'usage/invalid',
      `Expected at least ${MIN_ID_CHARACTERS} characters of an id, got "${word}"`,
      { hint: `Type more characters, such as ${found[0]}` },
    )
  }
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (only === undefined) throw await createUnknownIdError(word, id, ids)
  const more = found.length > MAX_SHOWN_IDS ? ' and more' : ''
  throw new SkillsError('usage/invalid', `"${word}" matches more than one ${noun}`, {
    hint: `Type more characters: ${found.slice(0, MAX_SHOWN_IDS).join(', ')}${more}`,
    data: { candidates: found.slice(0, MAX_SHOWN_IDS) },
  })
}

async function createUnknownIdError(word: string, id: string, ids: IdLookup): Promise<SkillsError> {
  const guess = findNearest(id.slice(0, 100), await ids.recent())
  const { noun } = ids
  return new SkillsError(`${noun}/not-found`, `Unknown ${noun} "${word.slice(0, 100)}"`, {
    hint: guess ? `Did you mean "${guess}"?` : `Type "skills ${noun}s ls" to see all ids`,
    data: { id: word.slice(0, 100) },
  })
}
