import { findContentPathProblem } from '../skills/content/content-manifest.ts'

/** Bytes of a path: Windows allows 260 characters with the folder of the skill. */
const MAX_PATH_BYTES = 200

/** Devices of Windows, also with an extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i
const ASCII = /^[ -~]*$/
const NOT_ON_WINDOWS = /[<>:"|?*\\]/
/** Direction marks, zero-width and private characters, and spaces that look like the common one. */
const HIDDEN =
  /\p{Cf}|\p{Co}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|(?! )\p{Zs}|[\u115f\u1160\u3164\uffa0]/u
/** Also under the short name that Windows gives. */
const VERSION_CONTROL = /^(?:\.git|git~\d+|\.hg|\.svn|\.jj|\.bzr|cvs)$/i

/** The reason for which a path cannot stand in an archive; undefined if it is valid everywhere. */
export function findPackedPathProblem(path: string): string | undefined {
  const problem = findContentPathProblem(path)
  if (problem) return problem
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  if (!ASCII.test(path) && HIDDEN.test(path)) return 'has a character that is not visible'
  for (const name of path.split('/')) {
    if (NOT_ON_WINDOWS.test(name)) return 'has a character that Windows does not allow'
    if (RESERVED.test(name)) return 'is reserved on Windows'
    if (/[. ]$/.test(name)) return 'has a name that ends with a dot or space'
    if (VERSION_CONTROL.test(name)) return 'is in a folder of a version control system'
  }
  return undefined
}

/** A project's configuration would be obeyed, and a virtual environment comes from one machine. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['skills.config.toml', 'is the configuration of a project, which no skill may contain'],
  ['.venv', 'is in a virtual environment, which belongs to one machine'],
])

/** The reason for which a skill must not contain a path that an archive may have. */
export function findForeignPathProblem(path: string): string | undefined {
  for (const name of path.split('/')) {
    const problem = FOREIGN.get(foldPath(name))
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The reason for which no skill can have a path: what install, pack and create_skill refuse. */
export function findSkillPathProblem(path: string): string | undefined {
  return findPackedPathProblem(path) ?? findForeignPathProblem(path)
}

/** A path that cannot stand beside another one. */
export interface PathConflict {
  path: string
  problem: string
}

/** Collects paths and finds those that become one file on some system. */
export class PathSet {
  /** Path of the file or folder by its folded form. */
  #paths = new Map<string, string>()
  #files = new Set<string>()

  /** Adds a file; returns the reason if it conflicts with an earlier one. */
  addFile(path: string): string | undefined {
    const problem = this.#addFolders(path) ?? this.#findConflict(path)
    if (problem) return problem
    if (this.#paths.has(foldPath(path))) {
      return this.#files.has(path) ? 'is there twice' : 'is a file and a folder'
    }
    this.#paths.set(foldPath(path), path)
    this.#files.add(path)
    return undefined
  }

  /** Adds a folder, which may be there already. */
  addFolder(path: string): string | undefined {
    return this.#addFolders(`${path}/`)
  }

  #addFolders(path: string): string | undefined {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      if (this.#files.has(folder)) return `is below "${folder}", which is a file`
      const problem = this.#findConflict(folder)
      if (problem) return problem
      this.#paths.set(foldPath(folder), folder)
    }
    return undefined
  }

  #findConflict(path: string): string | undefined {
    const other = this.#paths.get(foldPath(path))
    if (other === undefined || other === path) return undefined
    return `and "${other}" are one file where case or forms of Unicode do not matter`
  }
}

/** The first of several files whose path is invalid or in conflict. */
export function findPathConflict(paths: readonly string[]): PathConflict | undefined {
  const set = new PathSet()
  for (const path of paths) {
    const problem = findPackedPathProblem(path) ?? set.addFile(path)
    if (problem) return { path, problem }
  }
  return undefined
}

/** Equal for names that file systems of macOS or Windows take for one. */
function foldPath(path: string): string {
  if (/^[\w./ -]*$/.test(path)) return path.toLowerCase()
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
