import { dirname, resolve } from 'node:path'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import type { FetchedRoot } from '../../core/config/roots/resolve-root.ts'
import { hasScheme, toPinnedSource } from '../../core/config/roots/root-source.ts'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'

/** Loads a configuration whose roots may be missing; other problems are errors. */
export async function openRoots(context: Context): Promise<LoadedConfig> {
  const { problems, ...loaded } = await openConfigWithProblems(context)
  const places = loaded.fetchedRoots.map(({ source }) => `The root "${source}" `)
  const other = problems.find(({ message }) => !places.some((text) => message.startsWith(text)))
  if (other) throw other
  return loaded
}

/** The roots that a command line names; all of them if it names none. */
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
