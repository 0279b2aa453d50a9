import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import { assertErrorCode, assertText, type ResultFields } from '../session.ts'

const page = 'Execution Methods'
const RUNS = ['run-code/completes']
const ECHO = 'def main(args):\n    return {"given": args}\n'
const FAILING = 'def main(args):\n    raise ValueError("as it was told to")\n'
/** Longer than any run of these checks takes on a slow machine. */
const MAX_RUN_MS = 60_000

/** Returns the error of a failed run; throws if the run did not fail. */
function requireFailure(result: ResultFields): { type?: unknown; message?: unknown } {
  assertThat(
    result['status'] === 'failed',
    `Expected the status "failed", got ${formatValue(result)}`,
  )
  const { error } = result
  assertThat(
    typeof error === 'object' && error !== null,
    `Expected an error, got ${formatValue(error)}`,
  )
  return error
}

const measureJson = (value: unknown) => new TextEncoder().encode(JSON.stringify(value) ?? '').length

export const RUN_CODE: readonly Requirement[] = [
  {
    id: 'run-code/completes',
    level: 'must',
    page,
    text: 'run_code calls main with the arguments and returns the status completed',
    async check(session) {
      const result = await session.runCode(
        'def main(args):\n    return {"sum": args["a"] + args["b"]}\n',
        {
          args: { a: 40, b: 2 },
        },
      )
      assertThat(
        result['status'] === 'completed',
        `Expected "completed", got ${formatValue(result)}`,
      )
    },
  },
  {
    id: 'run-code/output',
    level: 'must',
    page,
    text: 'output is what the function returned',
    needs: RUNS,
    async check(session) {
      const args = { text: 'grün 🙂', number: 1.5, list: [1, null, true], object: { a: {} } }
      const output = await session.expectOutput(ECHO, { args })
      assertThat(
        formatValue(output) === formatValue({ given: args }),
        `Expected ${formatValue({ given: args })}, got ${formatValue(output)}`,
      )
    },
  },
  {
    id: 'run-code/run-id',
    level: 'must',
    page,
    text: 'No two runs have the same run_id',
    needs: RUNS,
    async check(session) {
      const [one, two] = [await session.runCode(ECHO), await session.runCode(ECHO)]
      assertThat(
        one['run_id'] !== two['run_id'],
        `Expected two ids, got ${formatValue(one['run_id'])} twice`,
      )
    },
  },
  {
    id: 'run-code/entrypoint',
    level: 'must',
    page,
    text: 'entrypoint names the function that is called',
    needs: RUNS,
    async check(session) {
      const output = await session.expectOutput(
        'def main(args):\n    return 1\ndef other(args):\n    return 2\n',
        {
          entrypoint: 'other',
        },
      )
      assertThat(output === 2, `Expected 2 from "other", got ${formatValue(output)}`)
    },
  },
  {
    id: 'run-code/exception',
    level: 'must',
    page: 'Full Specification',
    text: 'An exception is a failed run, not a first-level error',
    needs: RUNS,
    async check(session) {
      requireFailure(await session.runCode(FAILING))
    },
  },
  {
    id: 'run-code/fields',
    level: 'must',
    page,
    text: 'A run has a run_id and a summary, whether it completed or failed',
    needs: ['run-code/exception'],
    async check(session) {
      for (const code of [ECHO, FAILING]) {
        const result = await session.runCode(code)
        assertText(result['run_id'], 'run_id')
        assertText(result['summary'], 'summary')
      }
    },
  },
  {
    id: 'run-code/error-fields',
    level: 'must',
    page,
    text: 'The error of a run has a type and a message',
    needs: ['run-code/exception'],
    async check(session) {
      const { type, message } = requireFailure(await session.runCode(FAILING))
      assertText(type, 'error.type')
      assertText(message, 'error.message')
      assertThat(
        message.includes('as it was told to'),
        `Expected the exception's text, got ${formatValue(message)}`,
      )
    },
  },
  {
    id: 'run-code/error-type',
    level: 'should',
    page,
    text: "error.type is the exception's class",
    needs: ['run-code/error-fields'],
    async check(session) {
      const { type } = requireFailure(await session.runCode(FAILING))
      assertThat(type === 'ValueError', `Expected "ValueError", got ${formatValue(type)}`)
    },
  },
  {
    id: 'run-code/no-error',
    level: 'must',
    page,
    text: 'A completed run has no error',
    needs: RUNS,
    async check(session) {
      const { error } = await session.runCode(ECHO)
      assertThat(
        error === undefined || error === null,
        `Expected no error, got ${formatValue(error)}`,
      )
    },
  },
  {
    id: 'run-code/syntax',
    level: 'must',
    page,
    text: 'Code that is not valid Python is a failed run',
    needs: ['run-code/exception'],
    async check(session) {
      requireFailure(await session.runCode('def main(args:\n'))
    },
  },
  {
    id: 'run-code/logs',
    level: 'must',
    page,
    text: 'logs_preview has what was written to standard output and standard error',
    needs: RUNS,
    async check(session) {
      const code =
        'import sys\ndef main(args):\n    print("said-out")\n    print("said-err", file=sys.stderr)\n'
      const { logs_preview: logs } = await session.runCode(code)
      for (const text of ['said-out', 'said-err']) {
        assertThat(
          String(logs).includes(text),
          `Expected "${text}" in logs_preview, got ${formatValue(logs)}`,
        )
      }
    },
  },
  {
    id: 'run-code/logs-short',
    level: 'should',
    page,
    text: 'logs_preview has at most 2 KB',
    needs: ['run-code/logs'],
    async check(session) {
      const code = 'def main(args):\n    for n in range(2000):\n        print("line", n)\n'
      const { logs_preview: logs } = await session.runCode(code)
      const size = new TextEncoder().encode(String(logs)).length
      assertThat(size <= 2048, `Expected at most 2048 bytes, got ${size}`)
    },
  },
  {
    id: 'run-code/output-small',
    level: 'must',
    page,
    text: 'output has at most 4 KB, however much is returned',
    needs: RUNS,
    async check(session) {
      const { output } = await session.runCode(
        'def main(args):\n    return {"text": "x" * 20000}\n',
      )
      const size = measureJson(output)
      assertThat(size <= 4096, `Expected at most 4096 bytes, got ${size}`)
    },
  },
  {
    id: 'run-code/timeout',
    level: 'must',
    page,
    text: 'A run that exceeds limits.timeout_ms is stopped and fails',
    needs: RUNS,
    async check(session) {
      const startedAt = performance.now()
      const code = `import time\ndef main(args):\n    time.sleep(${(2 * MAX_RUN_MS) / 1000})\n`
      requireFailure(await session.runCode(code, { limits: { timeout_ms: 1000 } }))
      assertThat(
        performance.now() - startedAt < MAX_RUN_MS,
        'Expected the run to end after a second',
      )
      const quick = await session.expectOutput(ECHO, { limits: { timeout_ms: 30_000 } })
      assertThat(
        formatValue(quick) === '{"given":{}}',
        `Expected a run within its limit to complete, got ${formatValue(quick)}`,
      )
    },
  },
  {
    id: 'run-code/unknown-skill',
    level: 'must',
    page: 'JSON-RPC Conventions',
    text: 'An unknown skill in mount_skills is refused with -32602',
    needs: [...RUNS, 'rpc/error-shape'],
    async check(session) {
      const params = { language: 'python', code: ECHO, mount_skills: ['no.such.skill'] }
      assertErrorCode(await session.expectError('run_code', params), -32602)
    },
  },
  {
    id: 'run-code/unknown-blob',
    level: 'extension',
    page: 'Toolkit',
    text: 'An unknown blob in input_blobs is refused with -32602',
    needs: [...RUNS, 'rpc/error-shape'],
    async check(session) {
      const params = { language: 'python', code: ECHO, input_blobs: ['blob:no-such-blob'] }
      assertErrorCode(await session.expectError('run_code', params), -32602)
    },
  },
]
