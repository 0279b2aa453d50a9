import type { YankRequest, YankResult } from '../../core/publishing/targets/publish-target.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { isSemver } from '../../util/semver.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { parseReference } from '../find-skill.ts'
import { openCallTarget, readPublishCall } from './publish-call.ts'

const MAX_REASON = 500

/** `skills publish yank`. */
export async function runYank(context: Context, call: CommandLine): Promise<number> {
  context.handleInterruption?.()
  const { name, version } = parseReference(call.args[0] ?? '')
  if (version === undefined || !isSemver(version)) {
    throw new SkillsError('usage/invalid', `Expected a version, got "${toPrintable(name)}"`, {
      hint: 'Write it as greet@1.0.0',
    })
  }
  const reason = getTextOption(call, 'reason') ?? 'withdrawn'
  if (reason.trim() === '' || reason.length > MAX_REASON) {
    throw new SkillsError('usage/invalid', `Expected a reason of 1 to ${MAX_REASON} characters`)
  }
  const target = await openCallTarget(context, call, undefined)
  if (!target.yank) {
    throw new SkillsError('usage/invalid', `"${target.label}" cannot withdraw a version`, {
      hint: 'Publish a fixed version with a higher number',
    })
  }
  const isDryRun = getFlagOption(call, 'dryRun')
  const request = { name, skill: name, version, reason, isDryRun }
  const result = await target.yank(request, readPublishCall(context, call))
  return reportYank(context, target.label, { request, result })
}

function reportYank(
  context: Context,
  label: string,
  { request, result }: { request: YankRequest; result: YankResult },
): number {
  const { name, version, isDryRun } = request
  const { status, newest, writes } = result
  if (context.global.json) {
    context.document('skills.yank/v1', {
      status: isDryRun && status === 'yanked' ? 'planned' : status,
      target: label,
      skill: name,
      version,
      newest: newest ?? null,
      writes,
    })
    return 0
  }
  const what = toPrintable(`${name}@${version}`)
  const titles = { yanked: isDryRun ? 'would withdraw' : 'withdrew', present: 'withdrawn before:' }
  context.print(`${titles[status]} ${what} from ${toPrintable(label)}`)
  for (const { action, path } of writes)
    context.print(`  ${action.padEnd(7)}  ${toPrintable(path)}`)
  const next = newest === undefined ? 'No version is left' : `The newest version is ${newest}`
  context.note(toPrintable(next))
  return 0
}
