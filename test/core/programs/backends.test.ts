// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { toSkillsError } from '../../../src/errors.ts'
import { createExecutor } from '../../helpers/execute.ts'

const TIMEOUT_MS = 180_000

/** A program that is run unchanged, one with a relocated path inside, and a compiled one. */
const PROGRAMS = [
  ['shell', 'echo "hello $1"'],
  ['python', 'import sys; print("hello", sys.argv[1])'],
  ['typescript', 'const who: string = process.argv[2] ?? ""; console.log("hello", who)'],
  ['c', '#include <stdio.h>\nint main(int n, char **w) { printf("hello %s\\n", w[n - 1]); }'],
] as const

describe.each(['namespaces', 'bubblewrap', 'container', 'process'])(
  'runtime.execute by %s',
  (backend) => {
    it.for(PROGRAMS)('runs %s', { timeout: TIMEOUT_MS }, async ([runtime, code], { skip }) => {
      const { run } = await createExecutor(`[run]\nbackend = "${backend}"\n`)
      const result = await run({ runtime, code, args: ['Ada'] }).catch((thrown: unknown) => {
        const error = toSkillsError(thrown)
        if (error.code === 'sandbox/unavailable') skip(`${backend} cannot be used here`)
        throw error
      })
      expect(result).toMatchObject({ status: 'success', stdoutSummary: 'hello Ada\n' })
    })
  },
)
