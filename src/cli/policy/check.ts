import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CheckPolicyResult } from '../../core/methods/check-policy/definition.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openSources } from '../run/sources.ts'
import { formatTable } from '../ui/table.ts'
import { readPolicyFlags } from './flags.ts'
import { readPolicyRequest } from './read-request.ts'

const EXIT_DENIED = 1

/** `skills policy check`: the decision of each layer, without a run. */
export async function checkPolicyRequest(context: Context, call: CommandLine): Promise<number> {
  const request = readPolicyRequest(await readRequestText(context, call.args[0]))
  const handle = await openHandle(context, call, { settings: readPolicyFlags(context, call) })
  const { timeoutMs, ...asked } = request
  const checked = await handle.call('check_policy', {
    ...asked,
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  })
  if (context.global.json) context.document('skills.policy-check/v1', checked)
  else showLayers(context, checked)
  return checked.allowed ? 0 : EXIT_DENIED
}

function showLayers(
  context: Context,
  { layers, allowed, needs_approval: isAsked }: CheckPolicyResult,
): void {
  const { style } = context
  const paint = (text: string) => {
    if (text.startsWith('deny')) return style.red(text)
    return text.startsWith('ask') ? style.yellow(text) : style.green(text)
  }
  const rows = layers.map(({ layer, verdict: says, sentence, denials }) => {
    const [first] = denials
    const code = first ? `${first.code}: ` : ''
    return [layer, says, toPrintable(`${code}${sentence}`)]
  })
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan, paint] }))
  if (!allowed) context.print(style.red('denied'))
  else context.print(style.green(isAsked ? 'needs approval' : 'allowed'))
}

/** Reads the request: inline JSON, a file, or standard input. */
async function readRequestText(
  context: Context,
  requestSource: string | undefined,
): Promise<string> {
  const sources = openSources(context)
  if (requestSource === '-' || (requestSource === undefined && context.stdin.isTTY !== true)) {
    return await sources.readStdin()
  }
  if (requestSource === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the request', {
      hint: 'Type for example: skills policy check \'{"runtime": "python", "timeoutMs": 60000}\'',
    })
  }
  if (requestSource.trimStart().startsWith('{') && !existsSync(resolve(context.cwd, requestSource)))
    return requestSource
  return sources.readText(requestSource)
}
