import { invalidParam, SkillsError } from '../../../errors.ts'
import { takeRandomBytes } from '../../../util/random-bytes.ts'

/** At least 80 bits, and short enough for the name of a file. */
const ID = /^run_[0-9a-f]{20,64}$/

/** Not every id that is reserved comes to a run. */
const MAX_RESERVED = 10_000

/** Ids of one runtime: nobody looks whether one that is reserved is taken. */
export class RunIds {
  #reserved = new Set<string>()

  reserve(): string {
    const id = newRunId()
    this.#reserved.add(id)
    for (const oldest of this.#reserved) {
      if (this.#reserved.size <= MAX_RESERVED) break
      this.#reserved.delete(oldest)
    }
    return id
  }

  /** Whether an id was reserved for the run that takes it now; true once. */
  consume(id: string): boolean {
    return this.#reserved.delete(id)
  }
}

/** 96 random bits. */
export function newRunId(): string {
  return `run_${takeRandomBytes(12).toString('hex')}`
}

/** Whether a text has the form of an id. */
export function isRunId(text: string): boolean {
  return ID.test(text)
}

/** An id that a caller chose. Throws `params/invalid`. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id
  const reason = `expected "run_" and 20 to 64 characters of 0-9 and a-f, got "${id.slice(0, 80)}"`
  throw invalidParam('run_id', reason)
}

/** Unknown, removed or expired. */
export function runNotFound(id: string, cause?: unknown): SkillsError {
  return new SkillsError('run/not-found', `Unknown run "${id.slice(0, 100)}"`, {
    hint: 'Type "skills runs ls" to see the runs that are recorded',
    data: { run_id: id },
    cause,
  })
}
