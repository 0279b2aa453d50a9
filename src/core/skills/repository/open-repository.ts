import { dirname } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { compareSemver, isPrerelease } from '../../../util/semver.ts'
import { GUIDE_NAME } from '../manifest/fields.ts'
import { createManifestCache } from './manifest-cache.ts'
import type { LastGood } from './last-good.ts'
import type { Repository, RepositoryProblem, SkillEntry } from './repository.ts'
import { scanRoot } from './scan.ts'

interface RepositoryOptions {
  /** Absolute folders, in order of precedence. */
  roots: readonly string[]
  /** The package's own skills: lowest precedence, but their guide cannot be replaced. */
  builtin: string
  /** Root of uploaded skills, in which drafts and nested skills are not found. */
  uploads?: string
  /** Folder of the index; without it every process reads all skills. */
  cacheDir?: string | undefined
  /** Provides the last valid manifests of skills that an edit broke. */
  lastGood?: LastGood | undefined
}

interface RepositorySnapshot {
  entries: readonly SkillEntry[]
  problems: readonly RepositoryProblem[]
  byName: ReadonlyMap<string, readonly SkillEntry[]>
  /** Folders of skills that are shown with their last valid manifests. */
  restoredDirs: ReadonlySet<string>
}

/** Opens the skills of several roots as one repository. Nothing is read before the first query. */
export function openRepository(options: RepositoryOptions): Repository {
  let current: Promise<RepositorySnapshot> | undefined
  let ready: RepositorySnapshot | undefined
  const startScan = () => {
    ready = undefined
    const own = takeSnapshot(options).then((getSnapshot) => {
      if (current === own) ready = getSnapshot
      return getSnapshot
    })
    current = own
    return own
  }
  const getSnapshot = () => current ?? startScan()
  return {
    list: async () => (await getSnapshot()).entries,
    listed: () => ready?.entries,
    problems: async () => (await getSnapshot()).problems,
    resolve: async (name, version) => selectVersion(await getSnapshot(), name, version),
    versions: async (name) =>
      ((await getSnapshot()).byName.get(name) ?? []).map((each) => each.version),
    manifest: createManifestCache(options.lastGood),
    async read(entry, path) {
      const { readContainedFile } = await import('./contained-file.ts')
      const { detectMimeType } = await import('../../../util/mime.ts')
      const restored = (await getSnapshot()).restoredDirs.has(entry.dir)
        ? options.lastGood?.text(entry.dir, path)
        : undefined
      const bytes = restored === undefined ? await readContainedFile(entry.dir, path) : Buffer.from(restored)
      return { path, bytes, kind: detectMimeType(path, bytes) }
    },
    async files(entry) {
      const { readSkillSource } = await import('../manifest/read-source.ts')
      const { files } = readSkillSource(entry.dir)
      return files.filter((file) => file.type === 'file').map(({ path, size }) => ({ path, size }))
    },
    async digest(entry) {
      const { digestFolder } = await import('./digest.ts')
      return digestFolder(entry.dir)
    },
    async refresh() {
      await startScan()
    },
    forget() {
      current = undefined
      ready = undefined
    },
  }
}

/** Reads one folder as a skill, for paths on a command line. */
export async function readEntryAt(dir: string): Promise<SkillEntry> {
  const { readEntry } = await import('./read-entry.ts')
  const { entry, problems } = readEntry(dir)
  if (entry) return { ...entry, dir, root: dir }
  const reason = problems[0]?.message ?? 'it has neither skill.toml nor SKILL.md'
  throw new SkillsError('skill/invalid', `Cannot use the folder "${dir}" as a skill: ${reason}`, {
    hint: `Type "skills lint ${dir}" to list all problems`,
  })
}

async function takeSnapshot(options: RepositoryOptions): Promise<RepositorySnapshot> {
  const found: SkillEntry[] = []
  const problems: RepositoryProblem[] = []
  for (const root of new Set([...options.roots, options.builtin])) {
    const scan = await scanRoot(root, { cacheDir: options.cacheDir, isFlat: root === options.uploads })
    found.push(...scan.entries)
    problems.push(...scan.problems)
  }
  const restored = listRestoredEntries(options.lastGood, problems)
  found.push(...restored)
  const entries = removeDuplicates(found, options.builtin, problems)
  entries.sort(compareEntries)
  const byName = new Map<string, SkillEntry[]>()
  for (const entry of entries) {
    const versions = byName.get(entry.name)
    if (versions) versions.push(entry)
    else byName.set(entry.name, [entry])
  }
  return { entries, problems, byName, restoredDirs: new Set(restored.map(({ dir }) => dir)) }
}

/** Last valid entries of skills that cannot be read now. */
function listRestoredEntries(
  lastGood: LastGood | undefined,
  problems: readonly RepositoryProblem[],
): SkillEntry[] {
  if (!lastGood) return []
  const broken = problems.filter(({ kind }) => kind === 'invalid' || kind === 'unreadable')
  const dirs = new Set(broken.map(({ path }) => dirname(path)))
  return [...dirs].map((dir) => lastGood.entry(dir)).filter((entry) => entry !== undefined)
}

/** Keeps the first of several skills with the same name and version; reports the others. */
function removeDuplicates(
  found: readonly SkillEntry[],
  builtin: string,
  problems: RepositoryProblem[],
): SkillEntry[] {
  const kept = new Map<string, SkillEntry>()
  const guide = found.find((entry) => entry.name === GUIDE_NAME && entry.root === builtin)
  for (const entry of found) {
    // The same folder, found by another root.
    if (guide && entry !== guide && entry.dir === guide.dir) continue
    if (entry.name === GUIDE_NAME && guide && entry !== guide) {
      const message = `"${GUIDE_NAME}" is reserved for the runtime; this skill is ignored`
      problems.push({ kind: 'shadowed', path: entry.dir, message, other: guide.dir })
      continue
    }
    const key = `${entry.name}@${entry.version}`
    const duplicate = kept.get(key)
    if (!duplicate) kept.set(key, entry)
    else if (duplicate.dir !== entry.dir) {
      const message = `${key} also exists in "${duplicate.dir}", which takes precedence`
      problems.push({ kind: 'duplicate', path: entry.dir, message, other: duplicate.dir })
    }
  }
  return [...kept.values()]
}

function compareEntries(a: SkillEntry, b: SkillEntry): number {
  return (
    compareEntryText(a.namespace, b.namespace) ||
    compareEntryText(a.name, b.name) ||
    compareSemver(b.version, a.version)
  )
}

function compareEntryText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

async function selectVersion(
  snapshot: RepositorySnapshot,
  name: string,
  version: string | undefined,
): Promise<SkillEntry> {
  const versions = snapshot.byName.get(name) ?? []
  if (version !== undefined) {
    const exact = versions.find((each) => each.version === version)
    if (exact) return exact
  }
  const newest = versions.find((each) => !isPrerelease(each.version)) ?? versions[0]
  if (!newest) throw await createSkillNotFoundError(snapshot, name)
  if (version === undefined) return newest
  const have = versions.map((each) => each.version).join(', ')
  throw new SkillsError('skill/version-not-found', `skill '${name}' has no version '${version}'`, {
    hint: `It has: ${have}`,
    data: { param: 'version', reason: 'not found' },
  })
}

async function createSkillNotFoundError(snapshot: RepositorySnapshot, name: string): Promise<SkillsError> {
  const { findNearest } = await import('../../../util/find-nearest.ts')
  const broken = snapshot.problems.find(
    (each) => each.kind === 'invalid' && each.path.includes(name),
  )
  const guess = findNearest(name, snapshot.byName.keys())
  const hint = guess
    ? `Did you mean "${guess}"?`
    : broken
      ? `Run "skills lint" to see what is wrong with the skills that could not be read`
      : 'Run "skills list" to see the skills that were found'
  return new SkillsError('skill/not-found', `skill '${name}' not found`, {
    hint,
    data: { param: 'name', reason: 'not found' },
  })
}
