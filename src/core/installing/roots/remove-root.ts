import type { LoadedConfig } from '../../config/load-config.ts'
import { locateRootPins } from '../../config/roots/resolve-root.ts'
import { readRootPins } from '../../config/roots/root-pins.ts'
import { isNamed } from '../../config/roots/resolve-root.ts'
import { SkillsError } from '../../../errors.ts'
import { dropCachedRoot, updateRootPins } from './store-root.ts'

/** Drops the consent to a root and its files; returns whether the configuration still has it. */
export async function removeRoot(
  loaded: LoadedConfig,
  source: string,
): Promise<{ isConfigured: boolean }> {
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
  return { isConfigured: loaded.fetchedRoots.some((root) => isNamed(root, source)) }
}
