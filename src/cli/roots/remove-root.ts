import { locateRootPins } from '../../core/config/roots/resolve-root.ts'
import { readRootPins } from '../../core/config/roots/root-pins.ts'
import { dropCachedRoot, updateRootPins } from '../../core/installing/roots/store-root.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { isNamed, openRoots } from './open-roots.ts'

/** `skills roots remove`: drops the consent and the files; the configuration is not changed. */
export async function runRemoveRoot(context: Context, call: CommandLine): Promise<number> {
  const [source = ''] = call.args
  const loaded = await openRoots(context)
  const { data } = loaded.config.directories
  const files = [...new Set(loaded.files.map(locateRootPins))]
  const pins = files.flatMap((file) => readRootPins(file).map((pin) => ({ file, pin })))
  const removed = pins.filter(
    ({ file, pin }) =>
      pin.source === source ||
      loaded.fetchedRoots.some(
        (root) =>
          locateRootPins(root.configFile) === file &&
          isNamed(root, source) &&
          isNamed(root, pin.source),
      ),
  )
  if (removed.length === 0) {
    throw new SkillsError('skill/not-found', `The root "${source}" was never fetched`, {
      hint: 'Type "skills roots list" to see the roots',
    })
  }
  const kept = new Set(pins.filter((each) => !removed.includes(each)).map(({ pin }) => pin.tree))
  for (const { file, pin } of removed) {
    // The pin is last: without it, a repeated command would not find the files of a killed one.
    if (!kept.has(pin.tree)) await dropCachedRoot(data, pin.tree)
    await updateRootPins(data, file, (now) => now.filter((each) => each.source !== pin.source))
  }
  if (context.global.json) context.document('skills.roots-remove/v1', { source, removed: true })
  else context.print(`removed ${toPrintable(source)}`)
  if (loaded.fetchedRoots.some((root) => isNamed(root, source))) {
    context.note('The configuration still has it: delete it from "roots" there')
  }
  return 0
}
