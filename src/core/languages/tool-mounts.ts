import { dirname } from 'node:path'
import { findSettingsFolders } from '../../util/files/system-settings.ts'
import type { ToolMount } from './language.ts'
import type { ResolvedLanguage } from './resolved-language.ts'
import { isSystemPath } from './toolchains/system-path.ts'

/** Lists the mounts that the programs of a language need besides /usr. */
export function listToolMounts({ language, candidate, programs }: ResolvedLanguage): ToolMount[] {
  const settings = (language.settings ?? [])
    .flatMap(findSettingsFolders)
    .map((path) => ({ source: path, target: path }))
  const programsOwn = [...programs.values()].flatMap(({ mounts }) => mounts)
  const tools = [...programsOwn, ...(candidate.tools?.() ?? [])]
  return [...new Map([...settings, ...tools].map((mount) => [mount.target, mount])).values()]
}

const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin']

/** Builds the environment of a run in a language. `searchPath` precedes the system's programs. */
export function buildToolEnvironment(
  { language, programs }: ResolvedLanguage,
  searchPath: readonly string[] = [],
): Record<string, string> {
  const all = [...programs.values()]
  const own = all.map(({ inside }) => dirname(inside))
  // The order of the caller's PATH decides about programs of the same name.
  const first = searchPath.length === 0 ? own : own.filter((folder) => !isSystemPath(folder))
  const folders = new Set([...first, ...searchPath, ...own, ...SYSTEM_PATH])
  const environment = Object.assign({}, ...all.map((each) => each.environment)) as object
  return { PATH: [...folders].join(':'), ...language.environment, ...environment }
}
