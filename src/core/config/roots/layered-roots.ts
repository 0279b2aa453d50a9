import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { PROJECT_SKILL_FOLDERS } from '../../../util/searched-folders.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import type { Config, Origin } from '../config.ts'
import type { FetchedRoot } from './resolve-root.ts'
import { hasScheme, isFetchedRoot } from './root-source.ts'

/** A root, as the layers of a configuration name it. */
export interface LayeredRoot {
  path: string
  origin: Origin
  fetched?: FetchedRoot
}

interface RootLayers {
  roots: LayeredRoot[]
  /** Receives the problem of a root, which is then skipped; may throw it. */
  refuse: (problem: SkillsError) => void
}

/** Adds folders; all others are a problem. */
export function addRoots(
  { roots, refuse }: RootLayers,
  paths: readonly string[],
  origin: Origin,
): void {
  for (const path of paths) {
    if (isRootFolder(path)) roots.push({ path, origin })
    else {
      const code = origin.layer === 'flag' ? 'usage/invalid' : 'config/invalid'
      const message = `The root "${path}" (${origin.place}) is not a folder`
      const hint = hasScheme(path)
        ? 'Write the source into the "roots" of a configuration file'
        : `Type "mkdir -p ${quoteShellWord(path)}", or use a folder that contains skills`
      refuse(new SkillsError(code, message, { hint }))
    }
  }
}

/** Roots of a file may be fetched: its pins are next to it. */
export function addFileRoots(
  layered: RootLayers,
  texts: readonly string[],
  { origin, file }: { origin: Origin; file: string },
): void {
  for (const path of texts) {
    const fetched = { source: path, place: origin.place, configFile: file }
    if (isFetchedRoot(path)) layered.roots.push({ path, origin, fetched })
    else addRoots(layered, [path], origin)
  }
}

/** Folders of the project and of the user, if present. */
export function findStandardRoots(
  { dir: projectDir, home }: { dir: string; home: string },
  config: Config,
): LayeredRoot[] {
  const candidates: LayeredRoot[] = [
    ...PROJECT_SKILL_FOLDERS.map((folder) => ({
      path: join(projectDir, folder),
      origin: { layer: 'default' as const, place: `the project's ${folder} folder` },
    })),
    {
      path: join(config.directories.data, 'skills'),
      origin: { layer: 'default', place: "the user's skills folder" },
    },
    ...(projectDir === home
      ? []
      : [
          {
            path: join(home, '.agents', 'skills'),
            origin: { layer: 'default' as const, place: "the user's ~/.agents/skills folder" },
          },
        ]),
  ]
  return candidates.filter(({ path }) => isRootFolder(path))
}

/** False as well for a path below a file, on which `stat` fails. */
function isRootFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
