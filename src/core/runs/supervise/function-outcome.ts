import { findDeepNesting } from '../../skills/manifest/nesting.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import type { FunctionEnd, HarnessResult } from './function-end.ts'
import { findLimitError, formatSignal, findRefusedLimit } from './limit-errors.ts'
import type { RunError } from '../result.ts'

/**
 * Characters of an inline value. The harness never sends a longer one, so a longer one is not
 * parsed.
 */
const MAX_INLINE_OUTPUT = 4096
/** An unterminated string matches to the end of the text, so nothing is scanned twice. */
const JSON_STRINGS = /"(?:[^"\\]|\\[^]?)*(?:"|$)/g

/** How a run ended, before redaction. */
export type FunctionOutcome =
  | { kind: 'returned'; output: Plain; summary: string | undefined }
  | { kind: 'stored'; blobId: string; summary: string | undefined }
  | { kind: 'failed'; error: RunError }

/**
 * Resolves the outcome of a run. The most certain cause has priority; without a result, no run is
 * completed.
 */
export function resolveFunctionOutcome(ending: FunctionEnd): FunctionOutcome {
  const error =
    findLimitError(ending) ??
    ending.channelError ??
    findDeathError(ending) ??
    findHarnessError(ending)
  if (error) return { kind: 'failed', error }
  const { summary, output, output_blob: blobId } = ending.told as HarnessResult
  const own = typeof summary === 'string' ? summary : undefined
  if (typeof blobId === 'string') {
    return { kind: 'stored', blobId, summary: own }
  }
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
    return { kind: 'returned', output: JSON.parse(output) as Plain, summary: own }
  } catch {
    return toFailedOutcome({ type: 'SerializationError', message: 'The result is not JSON' })
  }
}

function findDeathError({ exit, told }: FunctionEnd): RunError | undefined {
  if (exit.failure !== undefined) return { type: 'SandboxError', message: exit.failure }
  const signal = formatSignal(exit.signal)
  if (signal) return { type: 'Killed', message: `The code was ended by ${signal}`, signal }
  if (exit.exitCode === null) {
    return { type: 'SandboxError', message: 'The sandbox ended before the code did' }
  }
  if (told && (exit.exitCode === 0 || told.error)) return undefined
  return {
    type: 'Exited',
    message: `The code ended with exit code ${exit.exitCode} before it returned`,
    hint: 'Return a value instead of exiting',
    exit_code: exit.exitCode,
  }
}

function findHarnessError(ending: FunctionEnd): RunError | undefined {
  const given = ending.told?.error
  if (!given || typeof given !== 'object') return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const hint = text(given.hint)
  const traceback = text(given.traceback)
  const error: RunError = {
    type: text(given.type) ?? 'Exited',
    message: text(given.message) ?? '',
    ...(Number.isInteger(given.exit_code) ? { exit_code: given.exit_code as number } : {}),
    ...(traceback === undefined ? {} : { traceback }),
    ...(hint === undefined ? {} : { hint }),
  }
  return { ...error, ...findRefusedLimit(ending, { ...error, errno: given.errno }) }
}

function toFailedOutcome(error: RunError): FunctionOutcome {
  return { kind: 'failed', error }
}
