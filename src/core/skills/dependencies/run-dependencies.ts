import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { listProjectFolders } from '../../languages/project-folders.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import type { Services } from '../../services.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { Config } from '../../config/config.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import {
  readDeclaredLocks,
  type DeclaredLock,
  type NodeLock,
  type PythonLock,
} from './declared-lock.ts'
import { checkInstalled } from './installed-files.ts'
import { locateNpmPackages, locatePackages, type PackagesLocation } from './packages-location.ts'

/** Mounts and paths that make packages available to the skills of a run. */
export interface RunDependencies {
  tools: readonly { source: string; target: string }[]
  /** Entries for Python's module search path, as paths inside the sandbox. */
  paths: readonly string[]
  /** Packages that Node finds by name, as paths inside the sandbox. */
  nodePackages: readonly { name: string; target: string }[]
  /** The Python of the packages; undefined without packages of Python. */
  interpreter: Interpreter | undefined
}

type InterpreterLookup = Pick<RunCall, 'cwd' | 'env'>

/** `backend`: that of the run. */
export type DependencyLookup = InterpreterLookup & { backend: Isolation['backend'] }

/** Finds the interpreter that runs and installations share. */
export async function findInterpreter(
  { config, sandboxes }: Services,
  { cwd, env }: InterpreterLookup,
): Promise<Interpreter> {
  const excluded = listProjectFolders(config)
  const { python, hostPackages } = config.run
  return await sandboxes.findInterpreter({ python, hostPackages, cwd, env, excluded })
}

/**
 * Finds and verifies the packages of skills; throws if some are not installed, and installs
 * nothing.
 */
export async function resolveRunDependencies(
  services: Services,
  skills: readonly MountedSkill[],
  call: DependencyLookup,
): Promise<RunDependencies | undefined> {
  const locks = (await Promise.all(skills.map(readDeclaredLocks))).flat()
  if (locks.length === 0) return undefined
  const pythonLocks = locks.filter((lock) => lock.language === 'python')
  const nodeLocks = locks.filter((lock) => lock.language === 'node')
  checkVersionConflicts(pythonLocks)
  checkNodeConflicts(nodeLocks)
  checkNoContainerImage(services.config.run, call.backend)
  const interpreter = pythonLocks.length > 0 ? await findInterpreter(services, call) : undefined
  const tools = new Map<string, string>()
  const nodePackages = new Map<string, string>()
  const paths = new Set<string>()
  for (const lock of locks) {
    const location = locateLock(services, lock, interpreter)
    const found = await checkInstalled(location, await services.installed())
    if (found.state !== 'installed') throw notInstalledError(lock, lock.language === 'python' ? interpreter : undefined, found.state)
    tools.set(location.inside, found.packages)
    if (lock.language === 'python') paths.add(location.inside)
    else {
      for (const { name, path } of listDirectPackages(lock, found.packages)) {
        nodePackages.set(name, `${location.inside}/${path}`)
      }
    }
  }
  return {
    tools: [...tools].map(([target, source]) => ({ source, target })),
    paths: [...paths],
    nodePackages: [...nodePackages].map(([name, target]) => ({ name, target })),
    interpreter,
  }
}

/** Location of the packages of one lock file; `interpreter` is present for those of Python. */
export function locateLock(
  services: Pick<Services, 'cacheDir' | 'config'>,
  lock: DeclaredLock,
  interpreter: Interpreter | undefined,
): PackagesLocation {
  return lock.language === 'python'
    ? locatePackages(services, lock, interpreter as Interpreter)
    : locateNpmPackages(services, lock)
}

/** Only packages that the skill declares can be imported by name; others belong to packages. */
function listDirectPackages({ direct }: NodeLock, folder: string): { name: string; path: string }[] {
  return [...direct.keys()].sort().flatMap((name) => {
    const path = `node_modules/${name}`
    // An optional one may be for another machine.
    return existsSync(join(folder, path)) ? [{ name, path }] : []
  })
}

/** A name leads to one package for all skills of a run. */
function checkNodeConflicts(locks: readonly NodeLock[]): void {
  const seen = new Map<string, { skill: string; version: string }>()
  for (const { skill, packages, direct } of locks) {
    for (const { path, version } of packages) {
      const name = path.slice('node_modules/'.length)
      if (!direct.has(name)) continue
      const other = seen.get(name)
      if (other && other.version !== version) {
        throw versionConflictError(name, [other.skill, other.version], [skill, version])
      }
      seen.set(name, { skill, version })
    }
  }
}

/** Environment of a command line in which `python3` is the interpreter of the packages. */
export function buildDependencyEnv(
  { paths, interpreter }: RunDependencies,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  // Node finds its packages without a variable.
  if (!interpreter) return { ...env }
  const folder = dirname(interpreter.executable)
  const { PATH, PYTHONPATH, LD_LIBRARY_PATH } = env
  const { libraries } = interpreter
  return {
    ...env,
    PYTHONPATH: joinPaths(...paths, PYTHONPATH),
    ...(PATH !== undefined && { PATH: insertAfterVenv(folder, PATH) }),
    ...(libraries !== undefined && { LD_LIBRARY_PATH: joinPaths(libraries, LD_LIBRARY_PATH) }),
  }
}

/** The skill's own .venv comes first. */
function insertAfterVenv(folder: string, path: string): string {
  const [first = '', ...others] = path.split(':')
  return first.endsWith('/.venv/bin') ? joinPaths(first, folder, ...others) : joinPaths(folder, path)
}

function joinPaths(...folders: readonly (string | undefined)[]): string {
  return folders.filter((each) => each !== undefined && each !== '').join(':')
}

/** A process can import only one version of a package. */
function checkVersionConflicts(locks: readonly PythonLock[]): void {
  const seen = new Map<string, { skill: string; versions: string }>()
  for (const { skill, pins } of locks) {
    for (const name of new Set(pins.map((pin) => pin.name))) {
      const versions = formatVersions(pins, name)
      const other = seen.get(name)
      if (other && other.versions !== versions) {
        throw versionConflictError(name, [other.skill, other.versions], [skill, versions])
      }
      seen.set(name, { skill, versions })
    }
  }
}

function versionConflictError(
  name: string,
  [first, firstVersions]: readonly [skill: string, versions: string],
  [second, secondVersions]: readonly [skill: string, versions: string],
): SkillsError {
  return new SkillsError(
    'skill/not-executable',
    `Skills "${first}" and "${second}" pin different versions of "${name}": ${firstVersions} and ${secondVersions}`,
    { hint: 'Run them separately, or pin the same version in both lock files' },
  )
}

function formatVersions(pins: PythonLock['pins'], name: string): string {
  const versions = pins.filter((pin) => pin.name === name).map(({ version }) => version)
  return [...new Set(versions)].sort().join(', ')
}

function checkNoContainerImage(
  { container: { image } }: Config['run'],
  backend: DependencyLookup['backend'],
): void {
  if (image === undefined || backend !== 'container') return
  throw new SkillsError(
    'dependencies/not-installed',
    "Dependencies are installed for this machine's Python and Node, not for those of a container image",
    { hint: 'Remove run.container.image, or use another backend' },
  )
}

function notInstalledError(
  { skill }: DeclaredLock,
  interpreter: Interpreter | undefined,
  state: 'missing' | 'damaged',
): SkillsError {
  const reason = state === 'missing' ? 'are not installed' : 'were changed since they were installed'
  const target = interpreter ? `Python ${interpreter.version}` : 'Node'
  return new SkillsError(
    'dependencies/not-installed',
    `The dependencies of "${skill}" ${reason} for ${target}`,
    { hint: `Type "skills deps ${skill}" to install them`, data: { skill, state } },
  )
}
