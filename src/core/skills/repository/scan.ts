import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_DEPTH } from './found-order.ts'
import type { RootIndex } from './index-file.ts'
import { loadIndex, saveIndex } from './index-file.ts'
import type { RepositoryProblem, SkillEntry } from './repository.ts'
import { MISSING, toStamp, stampPath } from './stamps.ts'

/** Maximum number of folders to scan in a root. */
const MAX_FOLDERS = 50_000
/** Folders of installed packages and caches, which never contain skills. */
const SKIPPED_FOLDERS = new Set(['node_modules', '__pycache__'])

const MANIFESTS = new Set(['skill.toml', 'SKILL.md'])

interface RootScan {
  entries: SkillEntry[]
  problems: RepositoryProblem[]
}

/**
 * Finds the skills below a root. A folder that did not change since the last scan is not read
 * again.
 */
export async function scanRoot(root: string, cacheDir: string | undefined): Promise<RootScan> {
  const before = cacheDir ? loadIndex(cacheDir, root) : {}
  const scan: ScanState = { root, before, after: {}, changed: false, entries: [], problems: [] }
  const pending: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  let folders = 0
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    folders += 1
    if (folders > MAX_FOLDERS) {
      scan.problems.push({
        kind: 'too-large',
        path: root,
        message: `The root has more than ${MAX_FOLDERS} folders; the rest was not scanned`,
      })
      break
    }
    const depth = next.depth + 1
    for (const child of await scanFolder(scan, next.path)) {
      if (depth <= MAX_DEPTH)
        pending.push({ path: next.path ? `${next.path}/${child}` : child, depth })
    }
  }
  const gone = Object.keys(before).length !== Object.keys(scan.after).length
  if (cacheDir && (scan.changed || gone)) saveIndex(cacheDir, root, scan.after)
  return { entries: scan.entries, problems: scan.problems }
}

interface ScanState extends RootScan {
  root: string
  before: RootIndex
  after: RootIndex
  changed: boolean
}

/** Scans one folder and returns the names of the subfolders to scan next. */
async function scanFolder(scan: ScanState, path: string): Promise<readonly string[]> {
  const dir = path ? `${scan.root}/${path}` : scan.root
  const indexed = scan.before[path]
  // Both manifests are unchanged, so the folder needs no check.
  if (indexed?.kind === 'skill' && hasSameManifests(dir, indexed)) {
    scan.after[path] = indexed
    addSkill(scan, dir, indexed)
    return []
  }
  const stat = path
    ? lstatSync(dir, { throwIfNoEntry: false })
    : statSync(dir, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return []
  const stamp = toStamp(stat)
  if (indexed?.kind === 'folder' && indexed.stamp === stamp) {
    scan.after[path] = indexed
    scan.problems.push(...indexed.problems)
    return indexed.children
  }
  scan.changed = true
  return readFolder(scan, path, dir)
}

function hasSameManifests(dir: string, indexed: { toml: string; markdown: string }): boolean {
  return (
    stampPath(`${dir}/skill.toml`) === indexed.toml && stampPath(`${dir}/SKILL.md`) === indexed.markdown
  )
}

async function readFolder(scan: ScanState, path: string, dir: string): Promise<readonly string[]> {
  const stamp = path ? stampPath(dir) : toStamp(statSync(dir))
  const toml = stampPath(join(dir, 'skill.toml'))
  const markdown = stampPath(join(dir, 'SKILL.md'))
  if (toml !== MISSING || markdown !== MISSING) {
    const { readEntry } = await import('./read-entry.ts')
    const folder = { stamp, kind: 'skill' as const, toml, markdown, ...readEntry(dir) }
    scan.after[path] = folder
    addSkill(scan, dir, folder)
    return []
  }
  const { children, problems } = listSubfolders(dir)
  scan.after[path] = { stamp, kind: 'folder', children, problems }
  scan.problems.push(...problems)
  return children
}

function addSkill(
  scan: ScanState,
  dir: string,
  skill: { entry: Omit<SkillEntry, 'dir' | 'root'> | undefined; problems: RepositoryProblem[] },
): void {
  scan.problems.push(...skill.problems)
  if (skill.entry) scan.entries.push({ ...skill.entry, dir, root: scan.root })
}

function listSubfolders(dir: string): { children: string[]; problems: RepositoryProblem[] } {
  const problems: RepositoryProblem[] = []
  const children: string[] = []
  try {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) continue
      if (entry.isDirectory()) children.push(entry.name)
      else if (MANIFESTS.has(entry.name)) {
        // The file is listed, but its stamp could not be read.
        const message = `Cannot read "${entry.name}": the folder is not accessible`
        problems.push({ kind: 'unreadable', path: dir, message })
      } else if (entry.isSymbolicLink() && pointsToSkill(join(dir, entry.name))) {
        const message =
          'A symbolic link to a skill is not followed; add its folder as a root instead'
        problems.push({ kind: 'unreadable', path: join(dir, entry.name), message })
      }
    }
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    problems.push({ kind: 'unreadable', path: dir, message: `Cannot read the folder (${reason})` })
  }
  return { children: children.sort(), problems }
}

function pointsToSkill(link: string): boolean {
  try {
    return ['skill.toml', 'SKILL.md'].some((file) =>
      statSync(join(link, file), { throwIfNoEntry: false }),
    )
  } catch {
    return false
  }
}
