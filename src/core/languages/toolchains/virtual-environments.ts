import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { ToolMount } from '../language.ts'
import { checkProgram } from '../trusted-program.ts'
import { isBelow, resolveLinks } from '../user-folders.ts'
import type { MountSet, PrivateFolders } from './mount-set.ts'

const ENVIRONMENT_NAMES = ['.venv', 'venv', '.env', 'env']
const PYTHON_NAME = /^(?:python|pypy)[\d.]*$/

/** Virtual environments of a repository, and the interpreters that their links name. */
export interface RepositoryEnvironments {
  /** The environments at their own paths on the host, which their scripts contain. */
  mounts: readonly ToolMount[]
  /** Their interpreters that a run sees. */
  pythons: readonly string[]
  /** Links to interpreters that a run does not see. */
  problems: readonly string[]
}

/**
 * Adds the interpreters of a repository's virtual environments. A repository may name any file, so
 * only an installation of Python that its user already uses is added: one that `trusted` contains.
 */
export function addVirtualEnvironments(
  mounts: MountSet,
  folders: readonly string[],
  { trusted, privateFolders }: { trusted: readonly string[]; privateFolders: PrivateFolders },
): RepositoryEnvironments {
  const found = folders.flatMap((folder) =>
    ENVIRONMENT_NAMES.map((name) => join(folder, name)).filter(isEnvironment),
  )
  const problems: string[] = []
  const pythons: string[] = []
  for (const environment of found) {
    const own = listInterpreterLinks(environment).flatMap(
      (link) => addInterpreter(mounts, link, { trusted, privateFolders }) ?? [],
    )
    problems.push(...own)
    const python = join(environment, 'bin/python')
    if (own.length === 0 && lstatSync(python, { throwIfNoEntry: false })) pythons.push(python)
  }
  return { mounts: found.map((path) => ({ source: path, target: path })), pythons, problems }
}

/** True for a folder, not a link to one, with the file of a virtual environment. */
function isEnvironment(path: string): boolean {
  return (
    lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
    lstatSync(join(path, 'pyvenv.cfg'), { throwIfNoEntry: false })?.isFile() === true
  )
}

/** Lists what the links in an environment name outside of it. */
function listInterpreterLinks(environment: string): string[] {
  const bin = join(environment, 'bin')
  return listEnvironmentNames(bin).flatMap((name) => {
    const path = join(bin, name)
    if (!PYTHON_NAME.test(name) || !lstatSync(path).isSymbolicLink()) return []
    const target = resolve(bin, readlinkSync(path))
    return isBelow(target, environment) ? [] : [target]
  })
}

function addInterpreter(
  mounts: MountSet,
  link: string,
  { trusted, privateFolders }: { trusted: readonly string[]; privateFolders: PrivateFolders },
): string | undefined {
  const real = resolveLinks(link)
  if (mounts.covers(link) && mounts.covers(real)) return undefined
  const checked = checkProgram(link, privateFolders.excluded)
  if ('problem' in checked) return checked.problem
  // A link on the way may be in any folder of the user, which must not be mounted for it.
  const installations = [checked.real, ...checked.visited]
    .filter((place) => !mounts.covers(place))
    .map((place) => dirname(dirname(place)))
  const areKnown = installations.every((each) => trusted.some((folder) => isBelow(each, folder)))
  if (!areKnown || !isPythonInstallation(checked.real)) {
    return `"${link}" is not a Python of yours: it is not in PATH and not in [[toolchains]]`
  }
  for (const each of installations) {
    const problem = mounts.addFolder(each)
    if (problem) return problem.problem
  }
  return undefined
}

/** True for an interpreter in the `bin` of a folder with the standard library. */
function isPythonInstallation(real: string): boolean {
  const folder = dirname(real)
  if (basename(folder) !== 'bin' || !PYTHON_NAME.test(basename(real))) return false
  const libraries = join(dirname(folder), 'lib')
  return listEnvironmentNames(libraries).some(
    (name) =>
      /^(?:python|pypy)\d/.test(name) &&
      lstatSync(join(libraries, name, 'os.py'), { throwIfNoEntry: false })?.isFile() === true,
  )
}

function listEnvironmentNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
