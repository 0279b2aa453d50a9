import { userInfo } from 'node:os'
import { once } from '../../util/once.ts'

/**
 * Returns the user of this process; its number if it has no name, as in many containers. Cached,
 * because it cannot change and reading it opens several files.
 */
export const processUser: () => string = once(() => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
})
