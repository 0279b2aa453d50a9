import { dirname, resolve } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { LoadedConfig } from '../load-config.ts'
import type { FetchedRoot } from './resolve-root.ts'
import { hasScheme, toPinnedSource } from './root-source.ts'

/** The roots with these sources; all of them without sources. */
export function selectRoots(
  { fetchedRoots }: Pick<LoadedConfig, 'fetchedRoots'>,
  sources: readonly string[],
): FetchedRoot[] {
  const unknown = sources.find((text) => !fetchedRoots.some((root) => isNamed(root, text)))
  if (unknown !== undefined) {
    throw new SkillsError(
      'usage/invalid',
      `"${unknown}" is not a root of the configuration that is fetched`,
      { hint: 'Type "skills roots list" to see the roots, or add it to "roots" first' },
    )
  }
  const named = fetchedRoots.filter(
    (root) => sources.length === 0 || sources.some((text) => isNamed(root, text)),
  )
  const isFirst = (root: FetchedRoot, at: number) =>
    named.findIndex(
      ({ source, configFile }) => source === root.source && configFile === root.configFile,
    ) === at
  return named.filter(isFirst)
}

/** True for the text of the configuration, and for the path of an archive. */
export function isNamed({ source, configFile }: FetchedRoot, text: string): boolean {
  const folder = dirname(configFile)
  return (
    source === text ||
    toPinnedSource(source, folder) === text ||
    (!hasScheme(text) && source === resolve(folder, text))
  )
}
