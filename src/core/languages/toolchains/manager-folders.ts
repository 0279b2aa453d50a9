import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isExecutableFile } from '../../../util/find-program.ts'
import { findManagerShim, type ManagerShim } from '../shims/manager-shims.ts'
import { resolveShim, type ShimRequest } from '../shims/resolve-shim.ts'
import { getSearchPath } from '../locate-program.ts'
import { checkProgram, searchProgram, type FoundProgram } from '../trusted-program.ts'
import { addProgram } from './installation.ts'
import type { MountSet, PrivateFolders } from './mount-set.ts'
import { addProgramFolder } from './search-path.ts'

/** How a run finds the programs behind the shims of a folder. */
export interface ManagedFolder {
  /** Folders for PATH in place of the folder. */
  folders: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Shims that do not work, with their explanations. */
  failed: readonly { name: string; problem: string }[]
}

/** Managers whose shims work in a sandbox: all that they need is below one folder. */
const SELF_CONTAINED: Readonly<Record<string, string>> = {
  goenv: 'GOENV_ROOT',
  jenv: 'JENV_ROOT',
  nodenv: 'NODENV_ROOT',
  phpenv: 'PHPENV_ROOT',
  plenv: 'PLENV_ROOT',
  pyenv: 'PYENV_ROOT',
  rbenv: 'RBENV_ROOT',
  rustup: 'RUSTUP_HOME',
}
/** Shims that are asked, at most; those whose programs lie next to a known one are not. */
const MAX_ASKED = 40
/** Shims that may fail before only those with an alternative in PATH are asked. */
const MAX_FAILED = 2

/** Plans the folder of a version manager's shims; undefined for another folder. */
export async function planManagedFolder(
  request: ShimRequest,
  folder: string,
  { mounts, privateFolders }: { mounts: MountSet; privateFolders: PrivateFolders },
): Promise<ManagedFolder | undefined> {
  const shims = listShims(folder, privateFolders)
  const [first] = shims
  if (!first) return undefined
  const root = findManagerRoot(request, first)
  const isInside =
    root !== undefined &&
    mounts.addFolder(root.path) === undefined &&
    addProgram(mounts, first.found.path, privateFolders) === undefined
  if (isInside) {
    addVersions(mounts, root.path)
    return { folders: [folder], environment: { [root.variable]: root.path }, failed: [] }
  }
  return await resolveShims(request, shims, { mounts, privateFolders })
}

interface Shim {
  name: string
  found: FoundProgram
  shim: ManagerShim
}

function listShims(folder: string, { excluded }: PrivateFolders): Shim[] {
  return listShimNames(folder).flatMap((name) => {
    const path = join(folder, name)
    const checked = isExecutableFile(path) ? checkProgram(path, excluded) : { problem: '' }
    if ('problem' in checked) return []
    const found = { path, real: checked.real }
    const shim = findManagerShim(found)
    return shim ? [{ name, found, shim }] : []
  })
}

function findManagerRoot(
  { env }: ShimRequest,
  { found, shim: { manager, program } }: Shim,
): { variable: string; path: string } | undefined {
  const variable = SELF_CONTAINED[manager]
  if (variable === undefined) return undefined
  const home = env['HOME'] ?? ''
  const written = manager === 'rustup' ? undefined : readRoot(found.real, variable)
  const usual = program.startsWith('/') ? dirname(dirname(program)) : undefined
  const fallback = manager === 'rustup' ? join(home, '.rustup') : usual
  const path = written ?? env[variable] ?? fallback
  return path?.startsWith('/') ? { variable, path } : undefined
}

/** Reads the root that a shim exports. */
function readRoot(shim: string, variable: string): string | undefined {
  const line = new RegExp(`^\\s*export ${variable}="(/[^"$]+)"`, 'm')
  return line.exec(readFileSync(shim, 'utf8'))?.[1]
}

/** A version may be a link to an installation elsewhere. */
function addVersions(mounts: MountSet, root: string): void {
  for (const folder of ['versions', 'toolchains']) {
    for (const name of listShimNames(join(root, folder))) mounts.addFolder(join(root, folder, name))
  }
}

/** Asks the shims for their programs, whose folders take the place of the shims. */
async function resolveShims(
  request: ShimRequest,
  shims: readonly Shim[],
  context: { mounts: MountSet; privateFolders: PrivateFolders },
): Promise<ManagedFolder> {
  const folders = new Set<string>()
  const failed: { name: string; problem: string }[] = []
  let asked = 0
  for (const { name, found } of shims) {
    const isKnown = [...folders].some((folder) => isExecutableFile(join(folder, name)))
    // Most shims of a manager that does not work fail alike.
    const isHopeless = failed.length >= MAX_FAILED && !hasOther(request, name, found)
    if (isKnown || isHopeless || asked === MAX_ASKED) continue
    asked += 1
    const resolved = await resolveShim(request, name, found)
    if ('problem' in resolved) failed.push({ name, problem: resolved.problem })
    else if (resolved.path !== found.path) folders.add(dirname(resolved.path))
  }
  const visible = [...folders].filter(
    (folder) => 'folder' in addProgramFolder(context.mounts, folder, context.privateFolders),
  )
  return { folders: visible, environment: {}, failed }
}

/** True if another program of the same name is in PATH, which would run instead. */
function hasOther(request: ShimRequest, name: string, { path }: FoundProgram): boolean {
  const { excluded } = request
  const { found } = searchProgram(name, { searchPath: getSearchPath(request), excluded })
  return found.some((each) => each.path !== path)
}

function listShimNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
