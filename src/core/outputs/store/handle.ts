import { createHash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { toDecimalDigits } from '../../../util/decimal-digits.ts'
import { isRunId } from '../../runs/history/run-id.ts'

const HANDLE = /^runtime-[A-Za-z0-9_-]{1,140}-\d{13}-([0-9a-f]{16})$/
const MAX_REPO_LENGTH = 128

/** What the files of a run's output are named after. */
export function deriveOutputKey(runId: string): string {
  return toDecimalDigits(createHash('sha256').update(runId).digest('hex'))
}

/** The handle of an output: where it comes from, when it was made, what it is found by. */
export function createHandle(key: string, repo: string | undefined, createdAt: number): string {
  const repository = (repo ?? 'local').slice(0, MAX_REPO_LENGTH).replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return `runtime-${repository}-${createdAt}-${key}`
}

/** What a handle, or a run's id, is found by. Throws `output/not-found` for what can be neither. */
export function parseOutputKey(handleOrRun: string): string {
  if (isRunId(handleOrRun)) return deriveOutputKey(handleOrRun)
  const [, key] = HANDLE.exec(handleOrRun) ?? []
  if (key === undefined) throw outputNotFoundError(handleOrRun)
  return key
}

/** Unknown or removed. */
export function outputNotFoundError(handle: string, cause?: unknown): SkillsError {
  return new SkillsError('output/not-found', `Unknown output "${handle.slice(0, 200)}"`, {
    hint: 'Type "skills runs ls" to see the runs whose output may be asked for',
    data: { artifact_handle: handle.slice(0, 200) },
    cause,
  })
}

/** Kept once, but not any more. */
export function outputExpiredError(handle: string): SkillsError {
  return new SkillsError('output/expired', `The output "${handle}" has expired`, {
    hint: 'Run it again, or set store.outputs.ttl and store.outputs.quota to keep more',
    data: { artifact_handle: handle },
  })
}

/** It is somebody else's, or of another repository. */
export function outputForeignError(handle: string): SkillsError {
  return new SkillsError('output/foreign', `The output "${handle}" belongs to somebody else`, {
    hint: 'Ask with the token and for the repository that it was made with',
    data: { artifact_handle: handle },
  })
}

/** What is kept is not what was written. */
export function outputDamagedError(handle: string, cause?: unknown): SkillsError {
  return new SkillsError('output/damaged', `The output "${handle}" was changed or damaged`, {
    hint: 'Run it again',
    data: { artifact_handle: handle },
    cause,
  })
}
