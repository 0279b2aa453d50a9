import { dirname } from 'node:path'
import { statSync } from 'node:fs'
import type { ToolMount } from '../language.ts'
import { checkPath } from '../trusted-program.ts'
import { containsUserFolder, isBelow } from '../user-folders.ts'
import { findSecrets, isInSecretFolder } from './secret-files.ts'
import { isSystemPath } from './system-path.ts'

/** Folders that no run may see. */
export interface PrivateFolders {
  /** Project folders. */
  excluded: readonly string[]
  /** Folders with the user's files, which are never mounted completely. */
  userFolders: readonly string[]
  secretPaths: readonly string[]
}

/** Top-level folders of the sandbox itself. */
const RESERVED_FOLDERS: ReadonlySet<string> = new Set([
  'blobs',
  'boot',
  'build',
  'code',
  'dev',
  'etc',
  'guest',
  'node_modules',
  'proc',
  'python',
  'python-environment',
  'repo',
  'run',
  'skills',
  'strip-types',
  'sys',
  'toolchains',
  'workspace',
])

/** Folders of the host that a run sees read-only at their own paths. */
export class MountSet {
  readonly #private: PrivateFolders
  /** Sources by their targets. */
  readonly #sources = new Map<string, string>()
  readonly #secrets = new Set<string>()
  /** Folders that were searched for credentials. */
  readonly #searched = new Set<string>()

  constructor(privateFolders: PrivateFolders) {
    this.#private = privateFolders
  }

  /** Adds a folder. Returns the reason if a run must not see it. */
  addFolder(path: string): { problem: string } | undefined {
    const resolved = resolveOrSame(path, this.#private)
    if (this.covers(path) && this.covers(resolved)) {
      // Credentials are near the top of each installation, which may be deep in another folder.
      if (!isSystemPath(resolved)) this.#searchSecrets(resolved)
      return undefined
    }
    const checked = checkPath(path, this.#private.excluded)
    if ('problem' in checked) return checked
    const { real } = checked
    const problem = this.#findProblem(real) ?? findReservedFolder(path)
    if (problem !== undefined) return { problem: `"${path}" ${problem}` }
    this.#searchSecrets(real)
    for (const target of [real, path]) if (!this.covers(target)) this.#sources.set(target, real)
    return undefined
  }

  /** True if a run sees a path. */
  covers(path: string): boolean {
    return isSystemPath(path) || [...this.#sources.keys()].some((each) => isBelow(path, each))
  }

  /** Returns the mounts, without those that others contain. */
  list(): ToolMount[] {
    const targets = [...this.#sources.keys()]
    return [...this.#sources].flatMap(([target, source]) => {
      const isNested = targets.some((each) => each !== target && isBelow(target, each))
      return isNested ? [] : [{ source, target }]
    })
  }

  /** Returns the paths of credentials, as runs would see them. */
  listSecrets(): string[] {
    return this.list().flatMap(({ source, target }) =>
      [...this.#secrets]
        .filter((path) => isBelow(path, source))
        .map((path) => target + path.slice(source.length)),
    )
  }

  #searchSecrets(real: string): void {
    if (this.#searched.has(real)) return
    this.#searched.add(real)
    for (const secret of findSecrets(real, this.#private.secretPaths)) this.#secrets.add(secret)
  }

  #findProblem(real: string): string | undefined {
    const { userFolders, secretPaths } = this.#private
    if (!statSync(real).isDirectory()) return 'is not a folder'
    if (containsUserFolder(real, userFolders)) return 'contains other files of its user'
    if (isInSecretFolder(real, secretPaths)) return 'is a place for credentials'
    if (dirname(real) === '/') return 'contains more than one installation'
    return findReservedFolder(real)
  }
}

/** Returns the reason why nothing is mounted at a path of the sandbox itself. */
export function findReservedFolder(path: string): string | undefined {
  const [, top = ''] = path.split('/')
  return RESERVED_FOLDERS.has(top) ? `is in "/${top}", a folder of the sandbox itself` : undefined
}

function resolveOrSame(path: string, { excluded }: PrivateFolders): string {
  const checked = checkPath(path, excluded)
  return 'real' in checked ? checked.real : path
}
