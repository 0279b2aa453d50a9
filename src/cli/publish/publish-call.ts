import { openTarget } from '../../core/publishing/open-target.ts'
import type { PublishCall, PublishTarget } from '../../core/publishing/targets/publish-target.ts'
import { TARGET_KINDS } from '../../core/sources/index.ts'
import type { TargetOptions } from '../../core/sources/source-kind.ts'
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

/** Options that are about one kind of target. */
export function readTargetOptions(call: CommandLine): TargetOptions {
  const names = TARGET_KINDS.flatMap(({ options }) => options)
  return Object.fromEntries(names.map((name) => [name, getTextOption(call, name)]))
}

/** Opens the target of `--to`; without a folder, to withdraw a version. */
export async function openCallTarget(
  context: Context,
  call: CommandLine,
  folder: string | undefined,
): Promise<PublishTarget> {
  return await openTarget(getTextOption(call, 'to'), {
    folder,
    cwd: context.cwd,
    env: context.env,
    options: readTargetOptions(call),
    isSigned: getTextOption(call, 'sign') !== undefined,
    async openServer(url) {
      const { connectServer } = await import('./connect-server.ts')
      return connectServer(context, call, url)
    },
  })
}
