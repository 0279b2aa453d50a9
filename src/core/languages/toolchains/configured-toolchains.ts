import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { CacheSetting, ToolchainSetting } from '../../config/config.ts'
import type { MountSet } from './mount-set.ts'

/** Folders and variables that the user's configuration adds to runs with a repository. */
export interface ConfiguredToolchains {
  /** Folders for PATH, before all others. */
  folders: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Caches that do not exist, such as on a new machine. */
  missing: readonly string[]
}

/** Adds `[[toolchains]]` and `[[caches]]`. Throws for a folder that runs must not see. */
export function addConfiguredToolchains(
  mounts: MountSet,
  {
    toolchains,
    caches,
  }: { toolchains: readonly ToolchainSetting[]; caches: readonly CacheSetting[] },
  home: string | undefined,
): ConfiguredToolchains {
  const folders: string[] = []
  const environment: Record<string, string> = {}
  for (const setting of toolchains) {
    const path = addConfiguredFolder(mounts, setting, { kind: 'toolchain', home })
    folders.push(...listProgramFolders(path, setting))
    Object.assign(environment, setting.environment)
  }
  const missing: string[] = []
  for (const setting of caches) {
    if (!existsSync(resolveHome(setting.path, home))) {
      missing.push(
        `${setting.place}: The cache "${setting.path}" does not exist, so it is left out`,
      )
      continue
    }
    addConfiguredFolder(mounts, setting, { kind: 'cache', home })
    Object.assign(environment, setting.environment)
  }
  return { folders, environment, missing }
}

function addConfiguredFolder(
  mounts: MountSet,
  setting: CacheSetting,
  { kind, home }: { kind: string; home: string | undefined },
): string {
  const path = resolveHome(setting.path, home)
  const problem = existsSync(path) ? mounts.addFolder(path)?.problem : `"${path}" does not exist`
  if (problem === undefined) return path
  throw new SkillsError(
    'config/invalid',
    `${setting.place}: This ${kind} is not mounted: ${problem}`,
    {
      hint: 'Name a folder of its own that only you or root can write to',
    },
  )
}

function listProgramFolders(path: string, { bin }: ToolchainSetting): string[] {
  if (bin.length > 0) return bin.map((each) => join(path, each))
  return [existsSync(join(path, 'bin')) ? join(path, 'bin') : path]
}

/** Paths may begin with the user's home folder. */
function resolveHome(path: string, home: string | undefined): string {
  return path.startsWith('~/') && home !== undefined ? join(home, path.slice(2)) : path
}
