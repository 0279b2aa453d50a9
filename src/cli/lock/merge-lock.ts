import { mergeLockFile } from '../../core/installing/merging/merge-lock-file.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openPlaces } from '../install/open-places.ts'

/** `skills install --merge`. */
export async function mergeLock(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const { merge } = call.options
  // `--merge` without a side is `true`.
  const side = merge === 'ours' || merge === 'theirs' ? merge : undefined
  const changes = await mergeLockFile(places.lock, { env: context.env, side })
  if (context.global.json) {
    const merged = changes !== undefined
    context.document('skills.lock-merge/v1', { merged, changes: changes ?? [] })
  } else if (changes) {
    const lines = changes.map(({ name, change }) => `${change} ${name}`)
    context.print([...lines, 'merged skills.lock'].join('\n'))
    context.note('Type "git add skills.lock", and "skills install" to install its skills')
  } else context.print('skills.lock has no conflicts')
  return 0
}
