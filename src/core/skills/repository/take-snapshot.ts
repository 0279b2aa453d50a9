import { dirname } from 'node:path'
import { compareSemver } from '../../../util/semver.ts'
import { GUIDE_NAME } from '../manifest/fields.ts'
import type { LastGood } from './last-good.ts'
import type { RepositoryProblem, SkillEntry } from './repository.ts'

/** The skills of all roots at one moment. */
export interface RepositorySnapshot {
  entries: readonly SkillEntry[]
  problems: readonly RepositoryProblem[]
  byName: ReadonlyMap<string, readonly SkillEntry[]>
  /** Folders of skills that are shown with their last valid manifests. */
  restoredDirs: ReadonlySet<string>
}

/** Orders the skills that were found, without duplicates. */
export function buildSnapshot(
  scanned: { entries: readonly SkillEntry[]; problems: RepositoryProblem[] },
  { builtin, lastGood }: { builtin: string; lastGood: LastGood | undefined },
): RepositorySnapshot {
  const { problems } = scanned
  const restored = listRestoredEntries(lastGood, problems)
  const entries = removeDuplicates([...scanned.entries, ...restored], builtin, problems)
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
