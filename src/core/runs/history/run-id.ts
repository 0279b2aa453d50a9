import { invalidParamError, SkillsError } from '../../../errors.ts'
import { takeRandomBytes } from '../../../util/random-bytes.ts'

/** At least 80 bits, and short enough for a file name. */
const ID = /^run_[0-9a-f]{20,64}$/

/** Not every reserved id is used, so the oldest are dropped. */
const MAX_RESERVED = 10_000

/** Run ids of one runtime. A reserved id is not checked against existing runs. */
export class RunIds {
  #reserved = new Set<string>()

  reserve(): string {
    const id = createRunId()
    this.#reserved.add(id)
    for (const oldest of this.#reserved) {
      if (this.#reserved.size <= MAX_RESERVED) break
      this.#reserved.delete(oldest)
    }
    return id
  }

  /** Consumes a reserved id. True if the id was reserved and not yet consumed. */
  consume(id: string): boolean {
    return this.#reserved.delete(id)
  }
}

/** 96 random bits. */
export function createRunId(): string {
  return `run_${takeRandomBytes(12).toString('hex')}`
}

/** True if a text has the format of a run id. */
export function isRunId(text: string): boolean {
  return ID.test(text)
}

/** Validates the run id of a caller. Throws `params/invalid`. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id
  const reason = `expected "run_" and 20 to 64 characters of 0-9 and a-f, got "${id.slice(0, 80)}"`
  throw invalidParamError('run_id', reason)
}

/** Creates the error for an id that is unknown, removed or expired. */
export function runNotFoundError(id: string, cause?: unknown): SkillsError {
  return new SkillsError('run/not-found', `Unknown run "${id.slice(0, 100)}"`, {
    hint: 'Type "skills runs ls" to see the runs that are recorded',
    data: { run_id: id },
    cause,
  })
}

/** Creates the error for an active run, whose record has no end yet. */
export function runStillActiveError(id: string): SkillsError {
  return new SkillsError('run/busy', `The run "${id}" is still running`, {
    hint: 'Wait until it has ended',
    data: { run_id: id },
  })
}
