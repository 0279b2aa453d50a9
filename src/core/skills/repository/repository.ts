import type { Manifest } from '../manifest/manifest.ts'

/** A skill that was found: enough to list it, and where it lies. */
export interface SkillEntry {
  name: string
  version: string
  namespace: string
  description: string
  kind: Manifest['kind']
  tags: readonly string[]
  shortDescription: string | undefined
  /** Names of the inputs. */
  inputs: readonly string[]
  /** Absolute path of the skill's folder. */
  dir: string
  /** The root under which it was found. */
  root: string
}

/** Something in a root that could not become a skill, or hides another. */
export interface RepositoryProblem {
  kind: 'invalid' | 'duplicate' | 'shadowed' | 'unreadable' | 'too-large'
  /** Absolute path. */
  path: string
  message: string
  /** For duplicates: the place that won. */
  other?: string
}

export interface SkillFileContent {
  path: string
  bytes: Uint8Array
  /** MIME type. */
  kind: string
}

/** The skills of all roots. Nothing is parsed twice unless it changed. */
export interface Repository {
  /** All skills, ordered by namespace, name, and version from newest to oldest. */
  list(): Promise<readonly SkillEntry[]>
  /** The same where nothing has to be waited for; undefined elsewhere. */
  listed(): readonly SkillEntry[] | undefined
  problems(): Promise<readonly RepositoryProblem[]>
  /** One skill; the newest version where none is given. Throws `skill/not-found`. */
  resolve(name: string, version?: string): Promise<SkillEntry>
  /** All versions of a name, newest first; empty where there is none. */
  versions(name: string): Promise<readonly string[]>
  /** The typed manifest, read afresh when the file changed. */
  manifest(entry: SkillEntry): Promise<Manifest>
  /** A file inside the skill; every way out is refused with `file/outside`. */
  read(entry: SkillEntry, path: string): Promise<SkillFileContent>
  /** Regular files of the skill with sizes, sorted by path. */
  files(entry: SkillEntry): Promise<readonly { path: string; size: number }[]>
  /** SHA-256 over paths, modes and contents, as `sha256:<hex>`. */
  digest(entry: SkillEntry): Promise<string>
  /** Looks at the disk again; what did not change is not read again. */
  refresh(): Promise<void>
  /** The same, when the next question comes. */
  forget(): void
}
