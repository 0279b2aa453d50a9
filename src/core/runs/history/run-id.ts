import { SkillsError } from '../../../errors.ts'
import { fewRandomBytes } from '../../../util/random-bytes.ts'

/** At least 80 bits, and short enough for the name of a file. */
const ID = /^run_[0-9a-f]{20,64}$/

/** Ids of ours that no run has yet: nobody looks whether such a one is taken. */
const fresh = new Set<string>()
/** Not every id that is made comes to a run. */
const MAX_FRESH = 10_000

/** A fresh id of 96 random bits. */
export function newRunId(): string {
  const id = `run_${fewRandomBytes(12).toString('hex')}`
  fresh.add(id)
  for (const oldest of fresh) {
    if (fresh.size <= MAX_FRESH) break
    fresh.delete(oldest)
  }
  return id
}

/** Whether an id was made here for the run that takes it now; true once. */
export function takeFresh(id: string): boolean {
  return fresh.delete(id)
}

/** Whether a text has the form of an id. */
export function isRunId(text: string): boolean {
  return ID.test(text)
}

/** An id that a caller chose. Throws `params/invalid`. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id
  const reason = `expected "run_" and 20 to 64 characters of 0-9 and a-f, got "${id.slice(0, 80)}"`
  throw new SkillsError('params/invalid', `Invalid params: 'run_id': ${reason}`, {
    data: { param: 'run_id', reason },
  })
}

/** Unknown, removed or expired. */
export function runNotFound(id: string, cause?: unknown): SkillsError {
  return new SkillsError('run/not-found', `Unknown run "${id.slice(0, 100)}"`, {
    hint: 'Type "skills runs ls" to see the runs that are recorded',
    data: { run_id: id },
    cause,
  })
}
