import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserKeys } from './open-stores.ts'

/** The key of `--key`, or the only one. */
export function selectKey(context: Context, call: CommandLine): string {
  const name = getTextOption(call, 'key')
  if (name !== undefined) return name
  const names = openUserKeys(context)
    .list()
    .map((each) => each.name)
  const [only] = names
  if (only !== undefined && names.length === 1) return only
  throw new SkillsError('usage/invalid', 'Missing the key that signs', {
    hint:
      only === undefined
        ? 'Type "skills keys new <name>" to create one'
        : `Pass --key with one of ${names.join(', ')}`,
  })
}
