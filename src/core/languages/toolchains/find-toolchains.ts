import { existsSync } from 'node:fs'
import { basename, join, dirname } from 'node:path'
import type { CacheSetting, ToolchainSetting } from '../../config/config.ts'
import { isExecutableFile } from '../../../util/find-program.ts'
import type { ToolMount } from '../language.ts'
import { getSearchPath, type LanguageRequest } from '../locate-program.ts'
import { isBelow, listUserFolders, resolveLinks } from '../user-folders.ts'
import { listCacheParts, listPackageCaches } from './caches.ts'
import { addConfiguredToolchains } from './configured-toolchains.ts'
import { planManagedFolder } from './manager-folders.ts'
import { findReservedFolder, MountSet, type PrivateFolders } from './mount-set.ts'
import { findInstallationFolder } from './installation.ts'
import { addProgramFolder, listSearchFolders } from './search-path.ts'
import { listSecretPaths } from './secret-files.ts'
import { addVirtualEnvironments, type RepositoryEnvironments } from './virtual-environments.ts'
import { resolveShim, type ShimRequest } from '../shims/resolve-shim.ts'
import { searchProgram } from '../trusted-program.ts'

/** Everything of the user that a run with a repository sees. */
export interface Toolchains {
  /** Read-only, at their own paths: scripts, links and environments contain them. */
  mounts: readonly ToolMount[]
  /** Paths inside of credentials that must be covered. */
  secrets: readonly string[]
  /** Folders for PATH. */
  folders: readonly string[]
  environment: Readonly<Record<string, string>>
  /**
   * The path inside of the Python that the repository chooses, by a virtual environment or by
   * `.python-version`.
   */
  python: string | undefined
  /** Caches that are missing, and shims that do not work although another program of their name exists. */
  notices: readonly string[]
  /** Folders of PATH and links that are left out, with the reasons. */
  problems: readonly string[]
}

/** Input of the search. */
export interface ToolchainRequest extends Pick<LanguageRequest, 'env' | 'excluded' | 'answers'> {
  toolchains: readonly ToolchainSetting[]
  caches: readonly CacheSetting[]
  /** Path of the repository on the host and inside. */
  repository: { path: string; target: string }
  /** The folder of the repository in which the program starts, on the host. */
  startFolder: string
}

interface Search {
  request: ToolchainRequest
  mounts: MountSet
  privateFolders: PrivateFolders
  folders: string[]
  environment: Record<string, string>
  /** Mounts at other paths than their own. */
  moved: ToolMount[]
  /** Folders of PATH with shims of version managers. */
  managed: string[]
  failed: { name: string; problem: string; at: number }[]
  problems: string[]
}

/** Finds the toolchains in PATH, the package caches, and what the configuration adds. */
export async function findToolchains(request: ToolchainRequest): Promise<Toolchains> {
  const { env, excluded } = request
  const privateFolders = {
    excluded,
    userFolders: [...listUserFolders(env), ...excluded],
    secretPaths: listSecretPaths(env),
  }
  const mounts = new MountSet(privateFolders)
  const configured = addConfiguredToolchains(mounts, request, env['HOME'])
  const base = { request, mounts, privateFolders, moved: [], managed: [], failed: [], problems: [] }
  const search: Search = { ...base, folders: [...configured.folders], environment: {} }
  await addSearchPath(search)
  const environments = addVirtualEnvironments(mounts, listEnvironmentFolders(request), {
    trusted: listTrustedPythons(search),
    privateFolders,
  })
  await addJava(search)
  addCaches(search)
  const mounted = mounts.list()
  const ownPaths = environments.mounts.filter(
    ({ target }) => !mounts.covers(target) && findReservedFolder(target) === undefined,
  )
  return {
    mounts: [...mounted, ...ownPaths, ...search.moved],
    secrets: mounts.listSecrets(),
    folders: search.folders,
    environment: { ...search.environment, ...configured.environment },
    python: findRepositoryPython(search, environments),
    notices: [...listNotices(search), ...configured.missing],
    problems: [...search.problems, ...environments.problems, ...configured.missing],
  }
}

async function addSearchPath(search: Search): Promise<void> {
  const { request, mounts, privateFolders } = search
  for (const folder of listPathFolders(request)) {
    const inside = mapIntoRepository(folder, request.repository)
    if (inside !== undefined) {
      search.folders.push(inside)
      continue
    }
    const context = { mounts, privateFolders }
    const managed = await planManagedFolder(request, folder, context)
    const added = addProgramFolder(mounts, folder, privateFolders)
    if (managed) {
      const at = search.folders.length
      search.failed.push(...managed.failed.map((each) => ({ ...each, at })))
      Object.assign(search.environment, managed.environment)
      search.folders.push(...managed.folders)
      search.managed.push(...managed.folders)
    } else if ('folder' in added) search.folders.push(folder)
    else search.problems.push(added.problem)
  }
}

/** A folder of PATH in this repository, such as one of an activated environment, stays in PATH. */
function listPathFolders(request: ToolchainRequest): string[] {
  const { excluded, repository } = request
  const others = excluded.filter((root) => !isBelow(repository.path, root))
  return listSearchFolders(getSearchPath(request), others).filter(existsSync)
}

function mapIntoRepository(
  folder: string,
  { path, target }: ToolchainRequest['repository'],
): string | undefined {
  return isBelow(folder, path) ? target + folder.slice(path.length) : undefined
}

/** Lists the start folder and those above it, up to the repository. */
function listEnvironmentFolders({ repository, startFolder }: ToolchainRequest): string[] {
  const names = startFolder.slice(repository.path.length).split('/').filter(Boolean)
  return ['', ...names].map((_, count) => join(repository.path, ...names.slice(0, count)))
}

/** Lists folders with the user's own Pythons: those of PATH, and those that managers install. */
function listTrustedPythons({ request, privateFolders }: Search): string[] {
  const inPath = listSearchFolders(getSearchPath(request), request.excluded).map((folder) =>
    findInstallationFolder(folder, privateFolders),
  )
  return [...inPath, ...listPythonFolders(request.env)]
}

/** The environment next to the start folder comes before the file of a version manager. */
function findRepositoryPython(
  { request, folders, managed }: Search,
  { pythons }: RepositoryEnvironments,
): string | undefined {
  const nearest = pythons.at(-1)
  if (nearest !== undefined) return mapIntoRepository(nearest, request.repository)
  const isChosen = listEnvironmentFolders(request).some((folder) =>
    existsSync(join(folder, '.python-version')),
  )
  const first = folders.find((folder) => isExecutableFile(join(folder, 'python3')))
  const isManaged = isChosen && first !== undefined && managed.includes(first)
  return isManaged ? join(first, 'python3') : undefined
}

async function addJava({ request, mounts, environment }: Search): Promise<void> {
  const home = await findJavaHome(request)
  if (home !== undefined && mounts.addFolder(home) === undefined) environment['JAVA_HOME'] = home
}

/** Adds the package caches. A cache that others can write to is left out. */
function addCaches({ request, mounts, environment, problems, moved }: Search): void {
  for (const cache of listPackageCaches(request.env)) {
    const mounted = listCacheParts(cache).filter((part) => {
      const problem = mounts.addFolder(part)
      if (problem) problems.push(problem.problem)
      return !problem
    })
    Object.assign(environment, mounted.length > 0 ? cache.environment : cache.otherwise)
    const { writableParent } = cache
    if (writableParent === undefined) continue
    for (const part of mounted) {
      moved.push({ source: resolveLinks(part), target: join(writableParent, basename(part)) })
    }
  }
}

/** Reports shims that do not work if another program of their name runs instead. */
function listNotices({ folders, failed }: Search): string[] {
  return failed.flatMap(({ name, problem, at }) =>
    folders.slice(at).some((folder) => isExecutableFile(join(folder, name)))
      ? [`${problem}; another one runs`]
      : [],
  )
}

/**
 * Finds the folder of the JDK that tools of the JVM start: JAVA_HOME of the caller, or that of
 * `java` in PATH.
 */
async function findJavaHome(request: ShimRequest): Promise<string | undefined> {
  const { env, excluded } = request
  const named = env['JAVA_HOME']
  if (named?.startsWith('/') && existsSync(join(named, 'bin/java')))
    return named.replace(/\/+$/, '')
  const search = { searchPath: getSearchPath(request), excluded }
  for (const name of ['javac', 'java']) {
    const [found] = searchProgram(name, search).found
    const resolved = found && (await resolveShim(request, name, found))
    if (!resolved || 'problem' in resolved) continue
    const home = dirname(dirname(resolved.real))
    if (existsSync(join(home, 'bin/java'))) return home
  }
  return undefined
}

/** Folders in which version managers install Python, below the user's home folder. */
const IN_HOME = [
  '.pyenv/versions',
  '.asdf/installs/python',
  '.rye/py',
  'anaconda3',
  'mambaforge',
  'miniconda3',
  'miniforge3',
]
const IN_DATA = ['uv/python', 'mise/installs/python', 'hatch/pythons', 'pdm/python']

/** Lists the folders in which version managers install Python for their user. */
function listPythonFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = env['HOME'] ?? ''
  const data = env['XDG_DATA_HOME'] || join(home, '.local/share')
  const moved: [variable: string, folder: string][] = [
    ['PYENV_ROOT', 'versions'],
    ['ASDF_DATA_DIR', 'installs/python'],
    ['MISE_DATA_DIR', 'installs/python'],
    ['UV_PYTHON_INSTALL_DIR', ''],
  ]
  return [
    ...IN_HOME.map((folder) => join(home, folder)),
    ...IN_DATA.map((folder) => join(data, folder)),
    ...moved.flatMap(([variable, folder]) => {
      const root = env[variable]
      return root === undefined ? [] : [join(root, folder)]
    }),
  ].filter((folder) => folder.startsWith('/'))
}
