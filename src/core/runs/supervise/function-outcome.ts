import { findDeepNesting } from '../../skills/manifest/nesting.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import type { FunctionEnd, HarnessResult } from './function-end.ts'
import { findLimitError, formatSignal, findRefusedLimit } from './limit-errors.ts'
import { findUnsafeNumber } from './result-numbers.ts'
import { findMissingPackageHint } from './missing-package.ts'
import type { RunError } from '../result.ts'

/**
 * Characters of an inline value. The harness never sends a longer one, so a longer one is not
 * parsed.
 */
const MAX_INLINE_OUTPUT = 4096
/** Characters of a cell's value as text. */
const MAX_VALUE_TEXT = 8192
/** An unterminated string matches to the end of the text, so nothing is scanned twice. */
const JSON_STRINGS = /"(?:[^"\\]|\\[^]?)*(?:"|$)/g

/** The outcome of a run before redaction. */
export type FunctionOutcome =
  | { kind: 'returned'; output: Plain; summary: string | undefined; value?: string | undefined }
  | { kind: 'stored'; blobId: string; summary: string | undefined; value?: string | undefined }
  | { kind: 'failed'; error: RunError }

/**
 * Resolves the outcome of a run. The most certain cause has priority; without a result, no run is
 * completed.
 */
export function resolveFunctionOutcome(end: FunctionEnd): FunctionOutcome {
  const error =
    findLimitError(end) ?? end.channelError ?? findDeathError(end) ?? findHarnessError(end)
  if (error) return { kind: 'failed', error }
  const { summary, output, output_blob: blobId, value: text } = end.harnessResult as HarnessResult
  const described = {
    summary: typeof summary === 'string' ? summary : undefined,
    ...(typeof text === 'string' && { value: text.slice(0, MAX_VALUE_TEXT) }),
  }
  if (typeof blobId === 'string') return { kind: 'stored', blobId, ...described }
  return parseOutput(output, { end, described })
}

interface DescribedEnd {
  end: FunctionEnd
  described: { summary: string | undefined; value?: string }
}

function parseOutput(output: unknown, { end, described }: DescribedEnd): FunctionOutcome {
  if (
    typeof output !== 'string' ||
    output.length > MAX_INLINE_OUTPUT ||
    findDeepNesting(output.replace(JSON_STRINGS, '""')) !== undefined
  ) {
    return toFailedOutcome({
      type: 'SerializationError',
      message: 'The result is too long, or nested too deeply',
      hint: 'Return a flatter value, or write it into a blob',
    })
  }
  try {
    const value = JSON.parse(output, dropSignOfZero) as Plain
    const unsafe = findUnsafeNumber(output, end.language)
    if (unsafe) return toFailedOutcome(unsafe)
    return { kind: 'returned', output: value, ...described }
  } catch {
    return toFailedOutcome({ type: 'SerializationError', message: 'The result is not JSON' })
  }
}

/** JSON in answers has no negative zero, so no entry point returns one. */
function dropSignOfZero(_: string, value: unknown): unknown {
  return value === 0 ? 0 : value
}

function findDeathError({ exit, harnessResult }: FunctionEnd): RunError | undefined {
  if (exit.failure !== undefined) return { type: 'SandboxError', message: exit.failure }
  const signal = formatSignal(exit.signal)
  if (signal) return { type: 'Killed', message: `The code was ended by ${signal}`, signal }
  if (exit.exitCode === null) {
    return { type: 'SandboxError', message: 'The sandbox ended before the code did' }
  }
  if (harnessResult && (exit.exitCode === 0 || harnessResult.error)) return undefined
  return {
    type: 'Exited',
    message: `The code ended with exit code ${exit.exitCode} before it returned`,
    hint: 'Return a value instead of exiting',
    exit_code: exit.exitCode,
  }
}

function findHarnessError(end: FunctionEnd): RunError | undefined {
  const reported = end.harnessResult?.error
  if (!reported || typeof reported !== 'object') return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const type = text(reported.type) ?? 'Exited'
  const message = text(reported.message) ?? ''
  const { language, isolation } = end
  const hostPackages = isolation.host_packages === true
  const hint =
    text(reported.hint) ?? findMissingPackageHint({ type, message }, { language, hostPackages })
  const traceback = text(reported.traceback)
  const error: RunError = {
    type,
    message,
    ...(Number.isInteger(reported.exit_code) ? { exit_code: reported.exit_code as number } : {}),
    ...(traceback === undefined ? {} : { traceback }),
    ...(hint === undefined ? {} : { hint }),
  }
  return { ...error, ...findRefusedLimit(end, { ...error, errno: reported.errno }) }
}

function toFailedOutcome(error: RunError): FunctionOutcome {
  return { kind: 'failed', error }
}
