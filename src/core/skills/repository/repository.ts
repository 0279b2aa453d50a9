import type { Manifest } from '../manifest/manifest.ts'
import type { MountedSkill } from '../mounted-skill.ts'

/** A skill that was found: the data for lists, and its folder. */
export interface SkillEntry {
  name: string
  version: string
  namespace: string
  description: string
  kind: Manifest['kind']
  tags: readonly string[]
  shortDescription: string | undefined
  /** Parts of the machine that it needs; absent for skills of a remote runtime. */
  requires?: Manifest['requires']
  /** Names of the inputs. */
  inputs: readonly string[]
  /** Absolute path of the skill's folder. */
  dir: string
  /** The root under which it was found. */
  root: string
}

/** Something in a root that is not a valid skill, or that hides one. */
export interface RepositoryProblem {
  kind: 'invalid' | 'duplicate' | 'shadowed' | 'unreadable' | 'too-large'
  /** Absolute path. */
  path: string
  message: string
  /** For duplicates: the folder that takes precedence. */
  other?: string
  /** True for a link to a skill, which may be listed by its own folder. */
  isLink?: true
}

export interface SkillFileContent {
  path: string
  bytes: Uint8Array
  /** MIME type. */
  kind: string
}

/** A regular file of a skill. */
interface RepositoryFile {
  path: string
  /** Bytes. */
  size: number
  /** Absent if a remote runtime has the skill. */
  isExecutable?: boolean
}

/**
 * The skills of all roots. Unchanged files are not parsed again. An entry keeps its identity while
 * its files are unchanged, as far as the repository follows them, and so does the list.
 */
export interface Repository {
  /** All skills, ordered by namespace, name, and version from newest to oldest. */
  list(): Promise<readonly SkillEntry[]>
  /** The same list if it is available without waiting; undefined otherwise. */
  listed(): readonly SkillEntry[] | undefined
  problems(): Promise<readonly RepositoryProblem[]>
  /** One skill; the newest version by default. Throws `skill/not-found`. */
  resolve(name: string, version?: string): Promise<SkillEntry>
  /** All versions of a name, newest first; empty if there are none. */
  versions(name: string): Promise<readonly string[]>
  /** The typed manifest, read again if its file changed. */
  manifest(entry: SkillEntry): Promise<Manifest>
  /** Reads a skill for a run: its manifest, and a check that its files still belong to it. */
  mount(entry: SkillEntry): Promise<MountedSkill>
  /** True if a changed file changes the identity of its entry, once the change is known. */
  readonly isTracked: boolean
  /** A text that differs after any change of the skill's files. */
  signature(entry: SkillEntry): string
  /** Reads a file of the skill; a path that leads out is rejected with `file/outside`. */
  read(entry: SkillEntry, path: string): Promise<SkillFileContent>
  /** Regular files of the skill, sorted by path. */
  files(entry: SkillEntry): Promise<readonly RepositoryFile[]>
  /** SHA-256 over paths, modes and contents, as `sha256:<hex>`. */
  digest(entry: SkillEntry): Promise<string>
  /** Scans the disk again; unchanged folders are not read again. */
  refresh(): Promise<void>
  /** Scans these folders again on the next query, by default all. */
  forget(folders?: Iterable<string>): void
}
