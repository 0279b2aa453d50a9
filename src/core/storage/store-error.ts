import { SkillsError, toSkillsError } from '../../errors.ts'

/** The failures of a file system that have to do with where data is kept. */
const UNAVAILABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EIO', 'ESTALE'])

/** Says what is wrong with the place where data is kept; any other error stays what it is. */
export function toStoreError(thrown: unknown, dir: string): unknown {
  if (thrown instanceof SkillsError || !(thrown instanceof Error)) return thrown
  const { code } = thrown as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return toSkillsError(thrown)
  if (code === undefined || !UNAVAILABLE.has(code)) return thrown
  return new SkillsError('store/unavailable', `Cannot write to "${dir}" (${code})`, {
    hint: 'Check the permissions of that folder, or set directories.data to another one',
    cause: thrown,
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
