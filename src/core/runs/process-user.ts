import { userInfo } from 'node:os'
import { once } from '../../util/once.ts'

/**
 * The user of this process: a number where there is no name, as in many containers. Remembered, for
 * it cannot change while the process lives, and asking reads several files.
 */
export const processUser: () => string = once(() => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
})
