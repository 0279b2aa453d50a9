import { SkillsError, toSkillsError } from '../../errors.ts'

/** File system errors that concern the data directory. */
const UNAVAILABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EIO', 'ESTALE'])

/**
 * Converts an error of the data directory into a readable one; other errors are returned unchanged.
 */
export function toStoreError(error: unknown, dir: string): unknown {
  if (error instanceof SkillsError || !(error instanceof Error)) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return toSkillsError(error)
  if (code === undefined || !UNAVAILABLE.has(code)) return error
  return new SkillsError('store/unavailable', `Cannot write to "${dir}" (${code})`, {
    hint: 'Check the permissions of that folder, or set directories.data to another one',
    cause: error,
  })
}

/** Runs `work` on a store's folder and converts its errors. */
export async function withStoreErrors<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error, dir)
  }
}
