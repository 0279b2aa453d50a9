import { dirname } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { listProjectFolders } from '../../languages/project-folders.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import type { Services } from '../../services.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import { readDeclaredLock, type DeclaredLock } from './declared-lock.ts'
import { checkInstalled } from './installed-files.ts'
import { locatePackages } from './packages-location.ts'

/** Mounts and paths that make packages available to the skills of a run. */
export interface RunDependencies {
  tools: readonly { source: string; target: string }[]
  /** Entries for Python's module search path, as paths inside the sandbox. */
  paths: readonly string[]
  interpreter: Interpreter
}

type InterpreterLookup = Pick<RunCall, 'cwd' | 'env'>

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
  call: InterpreterLookup,
): Promise<RunDependencies | undefined> {
  const locks = (await Promise.all(skills.map(readDeclaredLock))).filter((lock) => lock !== undefined)
  if (locks.length === 0) return undefined
  checkVersionConflicts(locks)
  await checkNoContainerImage(services, call.env)
  const interpreter = await findInterpreter(services, call)
  const tools = new Map<string, string>()
  for (const lock of locks) {
    const location = locatePackages(services, lock, interpreter)
    const found = await checkInstalled(location, await services.installed())
    if (found.state !== 'installed') throw notInstalledError(lock, interpreter, found.state)
    tools.set(location.inside, found.packages)
  }
  return {
    tools: [...tools].map(([target, source]) => ({ source, target })),
    paths: [...tools.keys()],
    interpreter,
  }
}

/** Environment of a command line in which `python3` is the interpreter of the packages. */
export function buildDependencyEnv(
  { paths, interpreter }: RunDependencies,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
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
function checkVersionConflicts(locks: readonly DeclaredLock[]): void {
  const seen = new Map<string, { skill: string; versions: string }>()
  for (const { skill, pins } of locks) {
    for (const name of new Set(pins.map((pin) => pin.name))) {
      const versions = formatVersions(pins, name)
      const other = seen.get(name)
      if (other && other.versions !== versions) {
        throw new SkillsError(
          'skill/not-executable',
          `Skills "${other.skill}" and "${skill}" pin different versions of "${name}": ${other.versions} and ${versions}`,
          { hint: 'Run them separately, or pin the same version in both lock files' },
        )
      }
      seen.set(name, { skill, versions })
    }
  }
}

function formatVersions(pins: DeclaredLock['pins'], name: string): string {
  const versions = pins.filter((pin) => pin.name === name).map(({ version }) => version)
  return [...new Set(versions)].sort().join(', ')
}

async function checkNoContainerImage(
  { config: { run }, sandboxes }: Services,
  env: RunCall['env'],
): Promise<void> {
  if (run.container.image === undefined) return
  if ((await sandboxes.openBackend(run.backend, env)).name !== 'container') return
  throw new SkillsError(
    'dependencies/not-installed',
    "Dependencies are installed for this machine's Python, not for the Python of a container image",
    { hint: 'Remove run.container.image, or use another backend' },
  )
}

function notInstalledError(
  { skill }: DeclaredLock,
  { version }: Interpreter,
  state: 'missing' | 'damaged',
): SkillsError {
  const reason = state === 'missing' ? 'are not installed' : 'were changed since they were installed'
  return new SkillsError(
    'dependencies/not-installed',
    `The dependencies of "${skill}" ${reason} for Python ${version}`,
    { hint: `Type "skills deps ${skill}" to install them`, data: { skill, state } },
  )
}
