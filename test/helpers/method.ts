import { METHODS_BY_NAME } from '../../src/core/methods/index.ts'
import type { Method } from '../../src/core/methods/method.ts'

export function findMethod(name: string): Method {
  const found = METHODS_BY_NAME.get(name)
  if (!found) throw new Error(`There is no method "${name}"`)
  return found
}
