import { isDeepStrictEqual } from 'node:util'
import { SkillsError } from '../../../src/errors.ts'

/** Throws unless a statement about the code under test holds. */
export function expectThat(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new Error(`Expected that ${statement}`)
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(`Expected ${what} to be ${shorten(expected)}, got ${shorten(actual)}`)
}

/** Returns the value of `work`; undefined if it throws an error of an allowed type. */
export function allowErrors<T>(
  work: () => T,
  ...types: readonly (abstract new (...args: never[]) => Error)[]
): T | undefined {
  try {
    return work()
  } catch (error) {
    if ([SkillsError, ...types].some((type) => error instanceof type)) return undefined
    throw error
  }
}

/** Like `allowErrors`, for asynchronous work. */
export async function allowSkillsErrors<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SkillsError) return undefined
    throw error
  }
}

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 200)
}
