import { selectRoots } from '../../core/config/roots/resolve-root.ts'
import {
  fetchRoot,
  type RootCaller,
  type RootFetching,
  type RootResult,
} from '../../core/installing/roots/fetch-root.ts'
import { removeRoot } from '../../core/installing/roots/remove-root.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatPlural } from '../../util/quantity.ts'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { openUserTrust } from '../signing/open-stores.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { describeRoot } from './describe-root.ts'
import { openRoots } from './list-roots.ts'

/** `skills roots fetch` and `skills roots update`: the only commands that download roots. */
export async function runFetchRoots(
  context: Context,
  call: CommandLine,
  { isUpdate }: { isUpdate: boolean },
): Promise<number> {
  const loaded = await openRoots(context)
  const fetching: RootFetching = {
    ...loaded,
    env: context.env,
    signal: context.signal,
    trust: openUserTrust(context),
    isUpdate,
    options: { trust: getListOption(call, 'trust'), yes: getFlagOption(call, 'yes') },
    caller: createCaller(context),
  }
  const roots: RootResult[] = []
  for (const root of selectRoots(loaded, call.args)) roots.push(await fetchRoot(fetching, root))
  if (context.global.json) context.document('skills.roots-fetch/v1', { roots })
  else context.print(roots.map(formatResult).join('\n') || 'No root has to be fetched')
  return 0
}

function createCaller(context: Context): RootCaller {
  return {
    fetching: async (source, work) => await whileFetching(context, source, work),
    show: (facts) => context.note(describeRoot(facts)),
    async agree(facts) {
      if (!context.isInteractive) return undefined
      // A consent needs the text that --quiet hides.
      if (context.global.quiet) context.stderr.write(`${describeRoot(facts)}\n`)
      const question = { message: `Use the skills of ${facts.source}?`, initialValue: false }
      return await confirmByPrompt(context, question)
    },
  }
}

function formatResult({ state, source, tree, skills }: RootResult): string {
  return `${state} ${toPrintable(source)} ${tree} ${formatPlural(skills, 'skill')}`
}

/** `skills roots remove`: drops the consent and the files; the configuration is not changed. */
export async function runRemoveRoot(context: Context, call: CommandLine): Promise<number> {
  const [source = ''] = call.args
  const { isConfigured } = await removeRoot(await openRoots(context), source)
  if (context.global.json) context.document('skills.roots-remove/v1', { source, removed: true })
  else context.print(`removed ${toPrintable(source)}`)
  if (isConfigured) {
    context.note('The configuration still has it: delete it from "roots" there')
  }
  return 0
}
