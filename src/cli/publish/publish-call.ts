import type { PublishCall } from '../../core/publishing/publish-target.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

const DEFAULT_TIMEOUT_MS = 60_000

/** Reads the limits of requests. */
export function readPublishCall(context: Context, call: CommandLine): PublishCall {
  const text = getTextOption(call, 'timeout')
  const timeoutMs = text === undefined ? DEFAULT_TIMEOUT_MS : parseDurationOption(text)
  if (timeoutMs === undefined || timeoutMs <= 0) {
    throw new SkillsError('usage/invalid', `Expected a duration, got "${text}"`, {
      hint: 'Type a number with a unit, such as --timeout 30s',
    })
  }
  return { signal: context.signal, timeoutMs, onWritten: () => {} }
}
