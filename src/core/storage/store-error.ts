import { SkillsError, toSkillsError } from '../../errors.ts'

/** The failures of a file system that have to do with where data is kept. */
const UNAVAILABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EIO', 'ESTALE'])

/** Says what is wrong with the place where data is kept; any other error stays what it is. */
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

/** Does something in the data directory, failing as people can understand it. */
export async function withStoreErrors<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error, dir)
  }
}
