import { existsSync, statSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { Config, ConfigLayer, Origin } from './config.ts'
import { findProject, type Project } from './project/find-project.ts'
import { combineRestriction } from './install-keys.ts'
import { CONFIG_KEYS, getVariableName } from './keys.ts'
import { createNodeName } from './node-name.ts'
import type { FileValue } from './config-file.ts'
import type { ProjectSettings } from './project/project-settings.ts'
import {
  addFileRoots,
  addRoots,
  findStandardRoots,
  type LayeredRoot,
} from './roots/layered-roots.ts'
import type { FetchedRoot } from './roots/resolve-root.ts'

export type { Origin } from './config.ts'

export interface ConfigRequest {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Values of the command line, by key; `roots` precede all others. */
  flags?: Readonly<Record<string, unknown>>
  /** Read this file instead of the project's and the user's. */
  file?: string | undefined
  /** Read no configuration file. */
  noFiles?: boolean
  /** Receives each problem, which is then skipped; without it the first one is thrown. */
  onProblem?: ((problem: SkillsError) => void) | undefined
}

export interface LoadedConfig {
  config: Config
  origins: Readonly<Record<string, Origin>>
  /** Origins of the roots, in the order of `config.roots`. */
  rootOrigins: readonly Origin[]
  /** Roots of configuration files that are fetched, also those that are not in the cache. */
  fetchedRoots: readonly FetchedRoot[]
  /** Configuration files that were read. */
  files: readonly string[]
  /** Folder of the project's configuration and skills. */
  projectDir: string
  /** Settings of the project's file that need the trust of the user, if there are any. */
  projectSettings: ProjectSettings | undefined
}

/** Sources of the values of a configuration. */
export type ConfigOrigins = Pick<LoadedConfig, 'origins' | 'rootOrigins' | 'files'>

interface LayeredSettings {
  request: ConfigRequest
  refuse: (problem: SkillsError) => void
  values: Map<string, { value: unknown; origin: Origin }>
  roots: LayeredRoot[]
  files: string[]
  /** Policy that the project's file names. */
  projectPolicy?: string
  projectSettings?: ProjectSettings | undefined
}

const POLICY_FILE = 'policy.toml'

/**
 * Reads all layers: default, user, project, environment, flags, the last one wins; roots add up. A
 * file that the request names is obeyed like flags, the project's only as far as its user allows.
 */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const refuse = (problem: SkillsError) => reportConfigProblem(request, problem)
  const layered: LayeredSettings = { request, refuse, values: new Map(), roots: [], files: [] }
  const project = resolveProject(request)
  addDefaults(layered, request)
  const flags = await readFlags(request)
  await addFiles(layered, project)
  await addVariables(layered, request)
  for (const [key, entry] of flags.values) setValue(layered, key, entry)
  selectRuntimeBackend(layered)
  const config = assembleConfig(layered)
  config.policy = {
    ...config.policy,
    standardFile: join(resolveConfigHome(request), 'skills', POLICY_FILE),
    projectFile:
      layered.projectPolicy ?? (request.noFiles ? undefined : join(project.dir, POLICY_FILE)),
  }
  const fetchedRoots = layered.roots.flatMap(({ fetched }) => fetched ?? [])
  const { configured, remoteRoots } = await locateRoots(layered, config)
  const standard = { dir: project.dir, home: resolveHome(request) }
  const roots = [...flags.roots, ...configured, ...findStandardRoots(standard, config)]
  return {
    config: { ...config, roots: roots.map((root) => root.path), remoteRoots },
    fetchedRoots,
    origins: Object.fromEntries([...layered.values].map(([key, { origin }]) => [key, origin])),
    rootOrigins: roots.map((root) => root.origin),
    files: layered.files,
    projectDir: project.dir,
    projectSettings: layered.projectSettings,
  }
}

async function addFiles(layered: LayeredSettings, project: Project): Promise<void> {
  const { request } = layered
  if (request.noFiles) return
  if (request.file !== undefined) {
    if (project.file === undefined) return
    return await addObeyedFile(layered, project.file, 'project')
  }
  const userFile = resolveUserFile(request)
  if (existsSync(userFile)) await addObeyedFile(layered, userFile, 'user')
  if (project.file !== undefined) await addProjectFile(layered, project.dir, project.file)
}

/** Adds a file that only its user can change. */
async function addObeyedFile(
  layered: LayeredSettings,
  file: string,
  layer: 'user' | 'project',
): Promise<void> {
  const { readConfigFile } = await import('./config-file.ts')
  layered.files.push(file)
  const obeyedAs = layer === 'user' ? "the user's configuration" : 'the file of --config'
  const { values } = readConfigFile(file, { obeyedAs, onProblem: layered.refuse })
  for (const value of values) addSetting(layered, { ...value, layer, file })
}

/** Adds the file of a project that comes from anyone. Its roots precede those of the user. */
async function addProjectFile(layered: LayeredSettings, dir: string, file: string): Promise<void> {
  const { readProjectSettings } = await import('./project/project-settings.ts')
  layered.files.push(file)
  const userRoots = layered.roots.splice(0)
  const { obeyed, needTrust } = readProjectSettings(file, {
    dir,
    userDir: dirname(resolveUserFile(layered.request)),
    readBefore: (key) => layered.values.get(key)?.value,
    refuse: layered.refuse,
  })
  layered.projectSettings = needTrust
  for (const each of obeyed) {
    // A project may restrict the operator's policy, never replace it.
    if (each.key.key === 'policy.file') layered.projectPolicy = each.value as string
    else addSetting(layered, { ...each, layer: 'project', file })
  }
  layered.roots.push(...userRoots)
}

function addSetting(
  layered: LayeredSettings,
  { key, value, place, layer, file }: FileValue & { layer: ConfigLayer; file: string },
): void {
  const origin: Origin = { layer, place }
  if (key.key === 'roots') addFileRoots(layered, value as string[], { origin, file })
  else if (key.key === 'repositories') addRepositories(layered, value as object, origin)
  else setValue(layered, key.key, { value, origin })
}

async function locateRoots(
  { roots, refuse }: LayeredSettings,
  { directories }: Config,
): Promise<{ configured: readonly LayeredRoot[]; remoteRoots: Config['remoteRoots'] }> {
  if (roots.every(({ fetched }) => !fetched)) return { configured: roots, remoteRoots: [] }
  const { locateFetchedRoots } = await import('./roots/locate-roots.ts')
  return await locateFetchedRoots(roots, { dataDir: directories.data, refuse })
}

/** A runtime is of use in the container backend only, so that `auto` means that one. */
function selectRuntimeBackend({ values }: LayeredSettings): void {
  const runtime = values.get('run.container.runtime')
  if (runtime === undefined || runtime.value === 'default') return
  if (values.get('run.backend')?.value !== 'auto') return
  values.set('run.backend', { value: 'container', origin: runtime.origin })
}

/** Project of a command line; an explicit file makes its folder the project. */
export function resolveProject(
  request: Pick<ConfigRequest, 'cwd' | 'env' | 'file' | 'noFiles' | 'onProblem'>,
): Project {
  const found = findProject(request.cwd, resolveHome(request))
  if (request.noFiles) return { dir: found.dir, file: undefined }
  if (request.file === undefined) return found
  const file = resolve(request.cwd, request.file)
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return { dir: dirname(file), file }
  const message = `Configuration file "${request.file}" does not exist`
  const hint = 'Pass --config an existing file, or remove it'
  reportConfigProblem(request, new SkillsError('config/invalid', message, { hint }))
  return { dir: found.dir, file: undefined }
}

/** The user's configuration file, which may be absent. */
export function resolveUserFile(request: Pick<ConfigRequest, 'env'>): string {
  return join(resolveConfigHome(request), 'skills', 'config.toml')
}

function reportConfigProblem(
  { onProblem }: Pick<ConfigRequest, 'onProblem'>,
  problem: SkillsError,
): void {
  if (!onProblem) throw problem
  onProblem(problem)
}

function addDefaults(layered: LayeredSettings, request: ConfigRequest): void {
  const origin: Origin = { layer: 'default', place: 'built in' }
  const home = resolveHome(request)
  for (const key of CONFIG_KEYS) layered.values.set(key.key, { value: key.default, origin })
  const data = join(request.env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'skills')
  const cache = join(request.env['XDG_CACHE_HOME'] || join(home, '.cache'), 'skills')
  layered.values.set('directories.data', { value: data, origin })
  layered.values.set('directories.cache', { value: cache, origin })
  layered.values.set('fleet.name', { value: createNodeName(hostname()), origin })
  layered.values.delete('roots')
}

/** Flags are validated first and applied last. */
async function readFlags(
  request: ConfigRequest,
): Promise<Pick<LayeredSettings, 'values' | 'roots'>> {
  const flags: Pick<LayeredSettings, 'values' | 'roots'> = { values: new Map(), roots: [] }
  for (const [name, raw] of Object.entries(request.flags ?? {})) {
    if (raw === undefined) continue
    const key = CONFIG_KEYS.find((each) => each.key === name)
    if (!key) throw new SkillsError('config/invalid', `Unknown setting "${name}"`)
    const flag =
      key.key === 'roots' ? '--root' : `--${name.split('.').at(-1)?.replaceAll('_', '-')}`
    const origin: Origin = { layer: 'flag', place: flag }
    // Parsers are loaded only if needed: most command lines set nothing.
    const { parseValue } = await import('./parse-value.ts')
    const parsed = parseValue(key, raw as never, request.cwd)
    if ('expected' in parsed) {
      throw new SkillsError(
        'usage/invalid',
        `${flag} is ${JSON.stringify(raw)}, expected ${parsed.expected}`,
      )
    }
    if (key.key !== 'roots') flags.values.set(key.key, { value: parsed.value, origin })
    else {
      const refuse = (problem: SkillsError) => reportConfigProblem(request, problem)
      addRoots({ refuse, roots: flags.roots }, parsed.value as string[], origin)
    }
  }
  return flags
}

function setValue(
  { values }: Pick<LayeredSettings, 'values'>,
  key: string,
  { value, origin }: { value: unknown; origin: Origin },
): void {
  const before = values.get(key)?.value
  values.set(key, { value: combineRestriction(key, before, value), origin })
}

/** Repositories of other names are not affected. */
function addRepositories({ values }: LayeredSettings, more: object, origin: Origin): void {
  const value = { ...(values.get('repositories')?.value as object), ...more }
  values.set('repositories', { value, origin })
}

async function addVariables(layered: LayeredSettings, request: ConfigRequest): Promise<void> {
  for (const key of CONFIG_KEYS) {
    const name = getVariableName(key)
    const text = name === undefined ? undefined : request.env[name]
    if (name === undefined || text === undefined || text === '') continue
    const origin: Origin = { layer: 'environment', place: name }
    const { parseVariable } = await import('./parse-value.ts')
    const parsed = parseVariable(key, text, request.cwd)
    if ('expected' in parsed) {
      const message = `${name} is "${text}", expected ${parsed.expected}`
      const hint = `Type "unset ${name}", or set it to ${parsed.expected}`
      reportConfigProblem(request, new SkillsError('config/invalid', message, { hint }))
    } else if (key.key === 'roots') addRoots(layered, parsed.value as string[], origin)
    else setValue(layered, key.key, { value: parsed.value, origin })
  }
}

function assembleConfig(layered: LayeredSettings): Config {
  const config = { roots: [] } as unknown as Config
  for (const key of CONFIG_KEYS) {
    if (key.key === 'roots') continue
    let place = config as unknown as Record<string, unknown>
    for (const step of key.field.slice(0, -1))
      place = (place[step] ??= {}) as Record<string, unknown>
    place[key.field.at(-1) as string] = layered.values.get(key.key)?.value
  }
  return config
}

function resolveHome(request: Pick<ConfigRequest, 'env'>): string {
  return request.env['HOME'] || homedir()
}

function resolveConfigHome(request: Pick<ConfigRequest, 'env'>): string {
  return request.env['XDG_CONFIG_HOME'] || join(resolveHome(request), '.config')
}
