import { userInfo } from 'node:os'

let known: string | undefined

/**
 * The user of this process: a number where there is no name, as in many containers. Remembered, for
 * it cannot change while the process lives, and asking reads several files.
 */
export function processUser(): string {
  return (known ??= findUser())
}

function findUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
