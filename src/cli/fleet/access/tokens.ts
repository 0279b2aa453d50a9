import { parseTokenEntries, requireTokens, type TokenEntry } from '../../../server/auth/tokens.ts'
import { SkillsError } from '../../../errors.ts'
import { listTokens, pushTokens, removeToken } from '../../../fleet/access/change-tokens.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { toPrintable } from '../../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { readTokenText } from '../../serve/read-options.ts'
import { formatTable } from '../../ui/table.ts'
import { confirmByPrompt } from '../../ui/prompts.ts'
import { useFleetEngine } from '../open-fleet.ts'

/** A token as in JSON. */
interface TokenRecord {
  name: string
  scopes: readonly string[]
  limits: object
  /** The first digits of its SHA-256, to recognize it. */
  digest: string
}

/** `skills fleet tokens push`. */
export async function pushFleetTokens(context: Context, call: CommandLine): Promise<number> {
  const [file = ''] = call.args
  const entries = requireTokens(parseTokenEntries(readTokenText(context, file), file), file)
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const tokens = await pushTokens(engine, entries)
    if (context.global.json) context.document('skills.fleet-tokens-push/v1', { tokens })
    else for (const { name, state } of tokens) context.print(`${state} ${toPrintable(name)}`)
    return 0
  })
}

/** `skills fleet tokens ls`. */
export async function listFleetTokens(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const tokens = (await listTokens(engine)).map(toTokenRecord)
    if (context.global.json) context.document('skills.fleet-tokens/v1', { tokens })
    else if (tokens.length === 0) context.note('The fleet has no tokens')
    else printTokens(context, tokens)
    return 0
  })
}

/** `skills fleet tokens rm`. */
export async function removeFleetToken(context: Context, call: CommandLine): Promise<number> {
  const [name = ''] = call.args
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const tokens = await listTokens(engine)
    if (!tokens.some(({ caller }) => caller.name === name)) throw noTokenError(name, tokens)
    if (!getFlagOption(call, 'yes')) await confirmTokenRemoval(context, name)
    if (!(await removeToken(engine, name))) throw noTokenError(name, [])
    if (context.global.json) context.document('skills.fleet-tokens-rm/v1', { name })
    else context.print(`removed ${toPrintable(name)}`)
    return 0
  })
}

function toTokenRecord({ digest, caller }: TokenEntry): TokenRecord {
  const { name, scopes, limits } = caller
  const { quotas, ...others } = limits ?? { quotas: {} }
  return {
    name,
    scopes: [...scopes].sort(),
    limits: { ...others, ...quotas },
    digest: digest.toString('hex').slice(0, 12),
  }
}

function printTokens(context: Context, tokens: readonly TokenRecord[]): void {
  const rows = tokens.map(({ name, scopes, limits, digest }) => {
    const texts = Object.entries(limits).map(([key, value]) => `${key}=${String(value)}`)
    return [name, scopes.join(','), texts.join(' ') || '-', digest].map(toPrintable)
  })
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [context.style.cyan] }))
}

function noTokenError(name: string, tokens: readonly TokenEntry[]): SkillsError {
  const guess = findNearest(
    name,
    tokens.map(({ caller }) => caller.name),
  )
  return new SkillsError('usage/invalid', `The fleet has no token "${toPrintable(name)}"`, {
    hint: guess ? `Did you mean "${guess}"?` : 'Type "skills fleet tokens ls" to see their names',
  })
}

async function confirmTokenRemoval(context: Context, name: string): Promise<void> {
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `Every front would refuse the token of "${name}"`, {
      hint: 'Add --yes to remove it',
    })
  }
  const message = `Remove the token of "${name}" from the fleet?`
  if (await confirmByPrompt(context, { message, initialValue: false })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was removed')
}
