import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { checkProgram } from '../trusted-program.ts'
import { containsUserFolder, resolveLinks } from '../user-folders.ts'
import type { MountSet, PrivateFolders } from './mount-set.ts'

/** Stores of packages that link to each other. Every user may read all of them. */
const PACKAGE_STORES = ['/nix/store', '/gnu/store']
const PROGRAM_FOLDERS = ['bin', 'sbin']
/** Parts of an installation next to its `bin`. */
const INSTALLATION_PARTS = ['lib', 'lib64', 'libexec', 'share', 'conf', 'jre', 'pyvenv.cfg']
/** Links, interpreters and virtual environments that lead from one program to another. */
const MAX_STEPS = 4

/** Finds the folder that a program of this folder needs: its installation, or the folder alone. */
export function findInstallationFolder(
  folder: string,
  { userFolders }: Pick<PrivateFolders, 'userFolders'>,
): string {
  const store = PACKAGE_STORES.find((each) => folder.startsWith(`${each}/`))
  if (store !== undefined) return store
  const parent = dirname(folder)
  const isInstallation =
    PROGRAM_FOLDERS.includes(basename(folder)) &&
    dirname(parent) !== '/' &&
    parent !== '/' &&
    INSTALLATION_PARTS.some((name) => existsSync(join(parent, name)))
  const isSeparate = !containsUserFolder(parent, userFolders)
  // The parent of a package of the system, such as /opt/bin, is not an installation.
  return isInstallation && isSeparate ? parent : folder
}

/** Adds the installation of a program, and those of its link targets and interpreter. */
export function addProgram(
  mounts: MountSet,
  path: string,
  privateFolders: PrivateFolders,
): { problem: string } | undefined {
  let program: string | undefined = path
  for (let step = 0; program !== undefined && step < MAX_STEPS; step += 1) {
    const checked = checkProgram(program, privateFolders.excluded)
    if ('problem' in checked) return checked
    for (const place of new Set([...checked.visited, checked.real])) {
      const problem = addInstallation(mounts, dirname(place), privateFolders)
      if (problem) return problem
    }
    const interpreter = readInterpreter(checked.real)
    const isNext = interpreter !== undefined && !mounts.covers(resolveLinks(interpreter))
    program = isNext ? interpreter : undefined
  }
  return undefined
}

/** Adds the installation of a folder of programs, and that of a virtual environment's Python. */
function addInstallation(
  mounts: MountSet,
  folder: string,
  privateFolders: PrivateFolders,
): { problem: string } | undefined {
  const problem = mounts.covers(folder)
    ? undefined
    : mounts.addFolder(findInstallationFolder(folder, privateFolders))
  const home = readEnvironmentHome(join(dirname(folder), 'pyvenv.cfg'))
  if (!problem && home !== undefined && !mounts.covers(home)) {
    mounts.addFolder(findInstallationFolder(home, privateFolders))
  }
  return problem
}

/** Reads the folder of the interpreter of a virtual environment. */
function readEnvironmentHome(file: string): string | undefined {
  try {
    const home = /^home\s*=\s*(\/.*?)\s*$/m.exec(readFileSync(file, 'utf8'))?.[1]
    return home
  } catch {
    return undefined
  }
}

const MAX_LINE_BYTES = 512

/** Reads the absolute path of a script's interpreter; undefined for other files. */
export function readInterpreter(path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const start = Buffer.alloc(MAX_LINE_BYTES)
    const text = start.toString('utf8', 0, readSync(fd, start, 0, MAX_LINE_BYTES, 0))
    const interpreter = /^#![ \t]*(\/\S+)/.exec(text)?.[1]
    // Launchers of long paths start a shell that executes the interpreter.
    return interpreter === '/bin/sh'
      ? (/^'''exec' "?(\/[^"\n]+?)"? /m.exec(text)?.[1] ?? interpreter)
      : interpreter
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
