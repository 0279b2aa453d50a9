import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_DEPTH } from './found-order.ts'
import type { RootIndex } from './index-file.ts'
import { loadIndex, saveIndex } from './index-file.ts'
import type { RepositoryProblem, SkillEntry } from './repository.ts'
import { isSearchedFolder } from '../../../util/searched-folders.ts'
import { MISSING, toStamp, stampPath } from './stamps.ts'

/** Maximum number of folders to scan in a root. */
const MAX_FOLDERS = 50_000

const MANIFESTS = new Set(['skill.toml', 'SKILL.md'])

interface RootScan {
  entries: SkillEntry[]
  problems: RepositoryProblem[]
}

/**
 * Finds the skills below a root, also those inside other skills. A folder that did not change since
 * the last scan is not read again. `isFlat` excludes nested skills and folders with a leading dot:
 * the root of uploads has drafts in one, and a nested skill would be an upload without a check.
 */
export async function scanRoot(
  root: string,
  { cacheDir, isFlat = false }: { cacheDir?: string | undefined; isFlat?: boolean },
): Promise<RootScan> {
  const before = cacheDir ? loadIndex(cacheDir, root) : {}
  const found: RootScan = { entries: [], problems: [] }
  const scan: ScanState = { root, isFlat, before, after: {}, changed: false, ...found }
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
  isFlat: boolean
  before: RootIndex
  after: RootIndex
  changed: boolean
}

/** Scans one folder and returns the names of the subfolders to scan next. */
async function scanFolder(scan: ScanState, path: string): Promise<readonly string[]> {
  const dir = path ? `${scan.root}/${path}` : scan.root
  const indexed = scan.before[path]
  // Both manifests are unchanged, so they are not read again.
  if (indexed?.kind === 'skill' && hasSameManifests(dir, indexed)) {
    const skill = scan.isFlat ? indexed : updateNested(scan, dir, indexed)
    scan.after[path] = skill
    addSkill(scan, dir, skill)
    return skill.children
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

type IndexedSkill = Extract<RootIndex[string], { kind: 'skill' }>

/** Lists the subfolders of a skill again if its folder changed. */
function updateNested(scan: ScanState, dir: string, indexed: IndexedSkill): IndexedSkill {
  const stamp = stampPath(dir)
  if (stamp === indexed.stamp) return indexed
  scan.changed = true
  return { ...indexed, stamp, children: listSubfolders(dir, scan.isFlat).children }
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
    const children = scan.isFlat ? [] : listSubfolders(dir, scan.isFlat).children
    const folder = { stamp, kind: 'skill' as const, toml, markdown, children, ...readEntry(dir) }
    scan.after[path] = folder
    addSkill(scan, dir, folder)
    return children
  }
  const { children, problems } = listSubfolders(dir, scan.isFlat)
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

function listSubfolders(
  dir: string,
  isFlat: boolean,
): { children: string[]; problems: RepositoryProblem[] } {
  const problems: RepositoryProblem[] = []
  const children: string[] = []
  try {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (!isSearchedFolder(entry.name) || (isFlat && entry.name.startsWith('.'))) continue
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
