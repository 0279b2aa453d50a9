import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { LANGUAGES } from '../languages/index.ts'
import { buildJavaFlags } from '../languages/known/java.ts'
import type { LanguageLimits, ToolMount } from '../languages/language.ts'
import { findToolchains, type Toolchains } from '../languages/toolchains/find-toolchains.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { HiddenFolder, HostFolder } from '../sandbox/backend.ts'
import { findSettingsFolders } from '../../util/files/system-settings.ts'
import type { Services } from '../services.ts'
import { REPOSITORY, type ExecutionLocation, type RepositoryToolchains } from './execution.ts'
import { buildLanguageContext } from './find-language.ts'

/** Limits that compilers and tools of the JVM need, where the configuration keeps its default. */
export const TOOLCHAIN_LIMITS: LanguageLimits = {
  memoryBytes: 2 * 1024 ** 3,
  processes: 512,
  workspaceBytes: 1024 ** 3,
}

/** Finds the toolchains for a run; undefined without a repository, or if they are turned off. */
export async function findRepositoryToolchains(
  services: Pick<Services, 'config' | 'sandboxes'>,
  { repository, cwd }: ExecutionLocation,
  call: Pick<RunCall, 'cwd' | 'env'>,
): Promise<RepositoryToolchains | undefined> {
  const { config } = services
  if (repository === undefined || !config.run.toolchains) return undefined
  const { env, excluded, answers } = buildLanguageContext(services, call)
  const relative = cwd && 'relative' in cwd ? cwd.relative : '.'
  const found = await findToolchains({
    env,
    excluded,
    answers,
    toolchains: config.toolchains,
    caches: config.caches,
    repository: { path: repository.path, target: REPOSITORY },
    startFolder: join(repository.path, relative),
  })
  const isPrivate = ({ source, target }: ToolMount) => needsOwnership(source, target)
  return {
    tools: [...listSettings(), ...found.mounts.filter((mount) => !isPrivate(mount))],
    folders: found.mounts
      .filter(isPrivate)
      .map((mount) => ({ ...mount, mode: 'read-only', isTool: true })),
    hidden: listHidden(found),
    searchPath: found.folders,
    python: found.python,
    environment: buildToolchainEnvironment(found, repository.mode),
    notices: found.notices,
  }
}

/** Folders of the sandbox in which only tools are mounted. */
const RESERVED_TARGETS = /^\/(?:boot|lib\w*|run|sbin|sys|tmp|usr)(?:\/|$)/

/** True for a folder of root that runs, which are another user, cannot read as it is. */
function needsOwnership(source: string, target: string): boolean {
  if (process.getuid?.() !== 0 || RESERVED_TARGETS.test(target)) return false
  return (lstatSync(source).mode & 0o005) !== 0o005
}

/** Folders of /etc with the settings of build tools. */
const TOOL_SETTINGS = ['gradle', 'maven']
/** System-wide settings that may name the accounts of servers. */
const SETTINGS_WITH_CREDENTIALS = ['/etc/maven/settings.xml']

function listSettings(): ToolMount[] {
  const names = [...LANGUAGES.flatMap(({ settings = [] }) => settings), ...TOOL_SETTINGS]
  return [...new Set(names)]
    .flatMap(findSettingsFolders)
    .map((path) => ({ source: path, target: path }))
}

function listHidden({ secrets }: Toolchains): HiddenFolder[] {
  const settings = SETTINGS_WITH_CREDENTIALS.filter((path) => existsSync(path))
  return [...secrets, ...settings].map((target) => ({ target, kept: [], isFile: isFile(target) }))
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true
}

/** Joins the variables of all languages, because any of their tools may be started. */
function buildToolchainEnvironment(
  { environment }: Toolchains,
  mode: HostFolder['mode'],
): Record<string, string> {
  return {
    ...(Object.assign({}, ...LANGUAGES.map((each) => each.environment)) as object),
    GRADLE_USER_HOME: '/workspace/.cache/gradle',
    // Other modes accept the compiled files in the repository.
    ...(mode === 'read-only' && { CARGO_TARGET_DIR: '/workspace/target' }),
    ...environment,
  }
}

/** Adds the heap limits of tools that start a JVM by a script. */
export function addJavaOptions(
  environment: Readonly<Record<string, string>>,
  { memoryBytes }: Pick<Config['run']['limits'], 'memoryBytes'>,
): Record<string, string> {
  const flags = buildJavaFlags({ memoryBytes }).join(' ')
  const append = (name: string, ...more: string[]) =>
    [environment[name], flags, ...more].filter(Boolean).join(' ')
  return {
    ...environment,
    JAVA_OPTS: append('JAVA_OPTS'),
    MAVEN_OPTS: append('MAVEN_OPTS'),
    GRADLE_OPTS: append('GRADLE_OPTS', '-Dorg.gradle.daemon=false'),
  }
}
