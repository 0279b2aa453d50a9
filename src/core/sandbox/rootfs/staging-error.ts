import { tmpdir } from 'node:os'
import { exhaustedError, SkillsError } from '../../../errors.ts'

const RESOURCE_ERRORS = ['ENOSPC', 'EDQUOT', 'ENFILE', 'EMFILE']

/** Translates an error of staging into one with a hint. */
export function toStagingError(thrown: unknown, sources: readonly string[]): unknown {
  if (thrown instanceof SkillsError) return thrown
  const { code = '', path = '' } = thrown as NodeJS.ErrnoException
  const isSource = sources.some((source) => path === source || path.startsWith(`${source}/`))
  if (isSource && !RESOURCE_ERRORS.includes(code)) {
    return new SkillsError('file/unreadable', `Cannot read "${path}" (${code})`, {
      hint: `Check its permissions with: ls -l "${path}"`,
      cause: thrown,
    })
  }
  if (code === 'EMFILE' || code === 'ENFILE') return exhaustedError(code, thrown)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new SkillsError('store/full', `The disk of "${tmpdir()}" is full`, {
      hint: 'Free some space there, or set TMPDIR to a folder on another disk',
      cause: thrown,
    })
  }
  if (['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(code)) {
    return new SkillsError('sandbox/unavailable', `Cannot write to "${tmpdir()}" (${code})`, {
      hint: 'Set TMPDIR to a folder that you can write to',
      cause: thrown,
    })
  }
  return thrown
}
