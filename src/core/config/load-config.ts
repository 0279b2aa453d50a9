import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { Config, ConfigLayer } from './config.ts'
import { CONFIG_KEYS, variableOf } from './keys.ts'

export const CONFIG_FILE = 'skills.config.toml'

export interface ConfigRequest {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Values given on the command line, by key; `roots` come first of all. */
  flags?: Readonly<Record<string, unknown>>
  /** Read this file instead of the project's and the user's. */
  file?: string | undefined
  /** Read no file at all. */
  noFiles?: boolean
}

/** Where the value of a key came from. */
export interface Origin {
  layer: ConfigLayer
  /** A file with line, a variable's name, a flag. */
  place: string
}

export interface LoadedConfig {
  config: Config
  origins: Readonly<Record<string, Origin>>
  /** The places of the roots, in the order of `config.roots`. */
  rootOrigins: readonly Origin[]
  /** The configuration files that were read. */
  files: readonly string[]
  /** The folder that the project's configuration and skills belong to. */
  projectDir: string
}

interface Layered {
  values: Map<string, { value: unknown; origin: Origin }>
  roots: { path: string; origin: Origin }[]
  files: string[]
}

/** Reads all layers; the later of default, project, user, environment, flags wins, roots add up. */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const layered: Layered = { values: new Map(), roots: [], files: [] }
  const projectFile = request.noFiles ? undefined : findProjectFile(request)
  const projectDir = projectFile ? dirname(projectFile) : request.cwd
  addDefaults(layered, request)
  const flags = await readFlags(request)
  if (projectFile) await addFile(layered, projectFile, 'project')
  const userFile = join(configHome(request), 'skills', 'config.toml')
  if (!request.noFiles && !request.file && existsSync(userFile))
    await addFile(layered, userFile, 'user')
  await addVariables(layered, request)
  for (const [key, entry] of flags.values) layered.values.set(key, entry)
  const config = assemble(layered)
  const roots = [...flags.roots, ...layered.roots, ...standardRoots(projectDir, config)]
  return {
    config: { ...config, roots: roots.map((root) => root.path) },
    origins: Object.fromEntries([...layered.values].map(([key, { origin }]) => [key, origin])),
    rootOrigins: roots.map((root) => root.origin),
    files: layered.files,
    projectDir,
  }
}

function findProjectFile(request: ConfigRequest): string | undefined {
  if (request.file !== undefined) {
    const file = resolve(request.cwd, request.file)
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
    throw new SkillsError(
      'config/invalid',
      `Cannot read the configuration "${request.file}": there is no such file`,
      {
        hint: 'Give --config a file, or leave it out',
      },
    )
  }
  for (let dir = request.cwd; ; dir = dirname(dir)) {
    const file = join(dir, CONFIG_FILE)
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
    if (dir === dirname(dir)) return undefined
  }
}

function addDefaults(layered: Layered, request: ConfigRequest): void {
  const origin: Origin = { layer: 'default', place: 'built in' }
  const home = homeOf(request)
  for (const key of CONFIG_KEYS) layered.values.set(key.key, { value: key.default, origin })
  const data = join(request.env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'skills')
  const cache = join(request.env['XDG_CACHE_HOME'] || join(home, '.cache'), 'skills')
  layered.values.set('directories.data', { value: data, origin })
  layered.values.set('directories.cache', { value: cache, origin })
  layered.values.delete('roots')
}

/** Checked at once, put on top last. */
async function readFlags(request: ConfigRequest): Promise<Pick<Layered, 'values' | 'roots'>> {
  const flags: Pick<Layered, 'values' | 'roots'> = { values: new Map(), roots: [] }
  for (const [name, raw] of Object.entries(request.flags ?? {})) {
    if (raw === undefined) continue
    const key = CONFIG_KEYS.find((each) => each.key === name)
    if (!key) throw new SkillsError('config/invalid', `Unknown setting "${name}"`)
    const flag =
      key.key === 'roots' ? '--root' : `--${name.split('.').at(-1)?.replaceAll('_', '-')}`
    const origin: Origin = { layer: 'flag', place: flag }
    // Parsers are loaded only where there is something to parse: most command lines set nothing.
    const { parseValue } = await import('./parse-value.ts')
    const parsed = parseValue(key, raw as never, request.cwd)
    if ('expected' in parsed) {
      throw new SkillsError(
        'usage/invalid',
        `${flag} is ${JSON.stringify(raw)}, expected ${parsed.expected}`,
      )
    }
    if (key.key !== 'roots') flags.values.set(key.key, { value: parsed.value, origin })
    for (const path of key.key === 'roots' ? (parsed.value as string[]) : []) {
      flags.roots.push({ path: existingFolder(path, origin), origin })
    }
  }
  return flags
}

function existingFolder(path: string, origin: Origin): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  const code = origin.layer === 'flag' ? 'usage/invalid' : 'config/invalid'
  throw new SkillsError(code, `The root "${path}" (${origin.place}) is not a folder`, {
    hint: 'Create it, or name a folder that holds skills',
  })
}

async function addFile(layered: Layered, file: string, layer: ConfigLayer): Promise<void> {
  const { readConfigFile } = await import('./config-file.ts')
  layered.files.push(file)
  for (const { key, value, place } of readConfigFile(file, readFileSync(file, 'utf8'))) {
    const origin: Origin = { layer, place }
    if (key.key !== 'roots') layered.values.set(key.key, { value, origin })
    else
      for (const path of value as string[])
        layered.roots.push({ path: existingFolder(path, origin), origin })
  }
}

async function addVariables(layered: Layered, request: ConfigRequest): Promise<void> {
  for (const key of CONFIG_KEYS) {
    const name = variableOf(key)
    const text = name === undefined ? undefined : request.env[name]
    if (name === undefined || text === undefined || text === '') continue
    const origin: Origin = { layer: 'environment', place: name }
    const { parseVariable } = await import('./parse-value.ts')
    const parsed = parseVariable(key, text, request.cwd)
    if ('expected' in parsed) {
      throw new SkillsError('config/invalid', `${name} is "${text}", expected ${parsed.expected}`, {
        hint: `Unset ${name}, or set it to ${parsed.expected}`,
      })
    }
    if (key.key !== 'roots') layered.values.set(key.key, { value: parsed.value, origin })
    else
      for (const path of parsed.value as string[])
        layered.roots.push({ path: existingFolder(path, origin), origin })
  }
}

/** The project's `skills` folder and the user's own, where they exist. */
function standardRoots(projectDir: string, config: Config): { path: string; origin: Origin }[] {
  const candidates: { path: string; origin: Origin }[] = [
    {
      path: join(projectDir, 'skills'),
      origin: { layer: 'default', place: "the project's skills folder" },
    },
    {
      path: join(config.directories.data, 'skills'),
      origin: { layer: 'default', place: "the user's skills folder" },
    },
  ]
  return candidates.filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
}

function assemble(layered: Layered): Config {
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

function homeOf(request: ConfigRequest): string {
  return request.env['HOME'] || homedir()
}

function configHome(request: ConfigRequest): string {
  return request.env['XDG_CONFIG_HOME'] || join(homeOf(request), '.config')
}
