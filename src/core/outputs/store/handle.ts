import { createHash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { toDecimalDigits } from '../../../util/text/decimal-digits.ts'
import { isRunId } from '../../runs/history/run-id.ts'

const HANDLE = /^runtime-[A-Za-z0-9_-]{1,140}-\d{13}-([0-9a-f]{16})$/
const MAX_REPO_LENGTH = 128

/** File name of a run's output, without extension. */
export function deriveOutputKey(runId: string): string {
  return toDecimalDigits(createHash('sha256').update(runId).digest('hex'))
}

/** Handle of an output: repository, creation time and key. */
export function createHandle(key: string, repo: string | undefined, createdAt: number): string {
  const repository = (repo ?? 'local').slice(0, MAX_REPO_LENGTH).replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return `runtime-${repository}-${createdAt}-${key}`
}

/** Key of a handle or of a run's id. Throws `output/not-found` for any other text. */
export function parseOutputKey(handleOrRun: string): string {
  if (isRunId(handleOrRun)) return deriveOutputKey(handleOrRun)
  const [, key] = HANDLE.exec(handleOrRun) ?? []
  if (key === undefined) throw outputNotFoundError(handleOrRun)
  return key
}

/** The output is unknown or was removed. */
export function outputNotFoundError(handle: string, cause?: unknown): SkillsError {
  return new SkillsError('output/not-found', `Unknown output "${handle.slice(0, 200)}"`, {
    hint: 'Type "skills runs ls" to list the runs and their outputs',
    data: { artifact_handle: handle.slice(0, 200) },
    cause,
  })
}

/** The output was stored but has expired. */
export function outputExpiredError(handle: string): SkillsError {
  return new SkillsError('output/expired', `The output "${handle}" has expired`, {
    hint: 'Run it again; to keep outputs longer, raise store.ttl and store.quota',
    data: { artifact_handle: handle },
  })
}

/** The output belongs to another caller or repository. */
export function outputForeignError(handle: string): SkillsError {
  return new SkillsError(
    'output/foreign',
    `The output "${handle}" belongs to another caller or repository`,
    {
      hint: 'Use the token and the repository of the run that created it',
      data: { artifact_handle: handle },
    },
  )
}

/** The stored bytes differ from the written ones. */
export function outputDamagedError(handle: string, cause?: unknown): SkillsError {
  return new SkillsError('output/damaged', `The output "${handle}" was changed or damaged`, {
    hint: 'Run it again',
    data: { artifact_handle: handle },
    cause,
  })
}
