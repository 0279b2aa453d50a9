import { dirname, join, resolve } from 'node:path'
import { checkCachedRoot, locateCachedRoot, type CachedRootState } from './cached-root.ts'
import { readRootPins, type RootPin } from './root-pins.ts'
import { ROOT_PINS_NAME, hasScheme, toPinnedSource } from './root-source.ts'
import { SkillsError } from '../../../errors.ts'

/** A root of a configuration file that is fetched. */
export interface FetchedRoot {
  /** As in the configuration; an archive has an absolute path. */
  source: string
  /** File and line. */
  place: string
  configFile: string
}

/** State of a root, from local files only. */
export interface FetchedRootState {
  pin: RootPin | undefined
  state: CachedRootState | 'unpinned'
  /** Folder of the files, which may be missing. */
  path: string | undefined
}

/** File with the pins of a configuration file. */
export function locateRootPins(configFile: string): string {
  return join(dirname(configFile), ROOT_PINS_NAME)
}

/** Finds the files of a root in the cache. Nothing is downloaded. */
export async function inspectRoot(
  { source, configFile }: FetchedRoot,
  dataDir: string,
): Promise<FetchedRootState> {
  const file = locateRootPins(configFile)
  const pinned = toPinnedSource(source, dirname(configFile))
  const pin = readRootPins(file).find((each) => each.source === pinned)
  if (!pin) return { pin, state: 'unpinned', path: undefined }
  const place = locateCachedRoot(dataDir, pin.tree)
  return { pin, state: await checkCachedRoot(place, pin.tree), path: place.files }
}

/** The folder of a root whose files are those that the user agreed to; throws otherwise. */
export async function resolveRoot(
  root: FetchedRoot,
  dataDir: string,
): Promise<{ path: string; resolved: string }> {
  const { pin, state, path } = await inspectRoot(root, dataDir)
  if (state === 'verified' && pin && path !== undefined) return { path, resolved: pin.resolved }
  const { problem, hint } = PROBLEMS[state as keyof typeof PROBLEMS]
  throw new SkillsError(
    state === 'changed' ? 'skill/changed' : 'config/invalid',
    `The root "${root.source}" (${root.place}) ${problem}`,
    { hint },
  )
}

const PROBLEMS = {
  unpinned: {
    problem: 'was never fetched',
    hint: 'Type "skills roots fetch" to see what its skills may do, and to fetch it',
  },
  missing: {
    problem: 'is not on this machine',
    hint: 'Type "skills roots fetch" to fetch its pinned files',
  },
  changed: {
    problem: 'was changed on this machine: its files do not have the pinned digest',
    hint: 'Type "skills roots fetch" to fetch the pinned files again',
  },
} as const

/** The roots with these sources; all of them without sources. */
export function selectRoots(
  { fetchedRoots }: { fetchedRoots: readonly FetchedRoot[] },
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
