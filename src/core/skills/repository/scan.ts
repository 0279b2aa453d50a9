import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { throwIfExhausted } from '../../../errors.ts'
import { isSearchedFolder } from '../../../util/searched-folders.ts'
import { isFolder, type FolderLists } from '../../../util/walk-folder.ts'
import { startWorkSlices } from '../../../util/slices/work-slices.ts'
import { MAX_DEPTH } from './found-order.ts'
import type { IndexedFolder, RootIndex } from './index-file.ts'
import type { RepositoryProblem } from './repository.ts'
import type { SignedFolder, SkillSignature } from './skill-signature.ts'
import { MISSING, toStamp, stampPath, type Stamp } from './stamps.ts'

/** Maximum number of folders to scan in a root. */
const MAX_FOLDERS = 50_000

const MANIFESTS = new Set(['skill.toml', 'SKILL.md'])

/** A skill's folder that a scan found. */
interface ScannedSkill {
  dir: string
  /** The same object as in the last scan if its manifests are unchanged. */
  folder: IndexedSkill
  /** Signature of all its files before the manifests were read; undefined if none was requested. */
  signature: SkillSignature | undefined
}

interface RootScan {
  skills: ScannedSkill[]
  problems: RepositoryProblem[]
  index: RootIndex
  /** True if the index differs from the one before. */
  isChanged: boolean
}

interface ScanOptions {
  /** The index of the last scan. */
  before: RootIndex
  isFlat?: boolean
  /** Folders that may have changed; by default all are checked. */
  isStale?: (dir: string) => boolean
  /** Signs the files of a skill; called only for folders that may have changed. */
  sign?: ((dir: string, lists?: FolderLists) => SignedFolder) | undefined
}

/**
 * Finds the skills below a root, also those inside other skills. A folder that did not change since
 * the last scan is not read again. `isFlat` excludes nested skills and folders with a leading dot:
 * the root of uploads has drafts in one, and a nested skill would be an upload without a check.
 */
export async function scanRoot(root: string, options: ScanOptions): Promise<RootScan> {
  const scan: ScanState = {
    before: options.before,
    isFlat: options.isFlat ?? false,
    isStale: options.isStale ?? (() => true),
    sign: options.sign,
    root,
    after: new Map(),
    stamps: new Map(),
    isChanged: false,
    skills: [],
    problems: [],
  }
  const yieldIfDue = startWorkSlices()
  const pending = [{ path: '', depth: 0 }]
  for (let at = 0; at < pending.length; at++) {
    if (at >= MAX_FOLDERS) {
      scan.problems.push({
        kind: 'too-large',
        path: root,
        message: `The root has more than ${MAX_FOLDERS} folders; the rest was not scanned`,
      })
      break
    }
    const { path, depth } = pending[at] as (typeof pending)[number]
    await yieldIfDue()
    for (const child of await scanFolder(scan, path)) {
      if (depth < MAX_DEPTH)
        pending.push({ path: path ? `${path}/${child}` : child, depth: depth + 1 })
    }
  }
  const { skills, problems, after, before, isChanged } = scan
  return { skills, problems, index: after, isChanged: isChanged || before.size !== after.size }
}

interface ScanState extends Required<Omit<ScanOptions, 'sign'>> {
  sign: ScanOptions['sign']
  root: string
  after: Map<string, IndexedFolder>
  /** Stamps of folders inside skills that were signed. */
  stamps: Map<string, Stamp>
  isChanged: boolean
  skills: ScannedSkill[]
  problems: RepositoryProblem[]
}

/** Scans one folder and returns the names of the subfolders to scan next. */
async function scanFolder(scan: ScanState, path: string): Promise<readonly string[]> {
  const dir = path ? `${scan.root}/${path}` : scan.root
  const indexed = scan.before.get(path)
  if (indexed && !scan.isStale(dir)) return reuseFolder(scan, path, indexed)
  if (indexed?.kind === 'folder' && getFolderStamp(scan, path, dir) === indexed.stamp) {
    return reuseFolder(scan, path, indexed)
  }
  // Precedes the manifests, so that a later change of any file differs from it.
  const signed = signIfSkill(scan, dir, indexed)
  // Both manifests are unchanged, so they are not read again.
  if (indexed?.kind === 'skill' && hasSameManifests(dir, indexed, signed)) {
    const skill = updateSkill(scan, dir, { indexed, signed })
    scan.after.set(path, skill)
    addSkill(scan, { dir, folder: skill, signature: signed?.signature })
    return skill.children
  }
  if (stampDirectory(dir, path === '') === undefined) return []
  scan.isChanged = true
  return await readFolder(scan, path, signed)
}

/** The signature of the skill that contains a folder has its stamp already. */
function getFolderStamp(scan: ScanState, path: string, dir: string): Stamp | undefined {
  return scan.stamps.get(dir) ?? stampDirectory(dir, path === '')
}

function signIfSkill(
  { sign, stamps }: ScanState,
  dir: string,
  indexed: IndexedFolder | undefined,
): SignedFolder | undefined {
  const lists = indexed?.kind === 'skill' ? indexed.lists : undefined
  if (!sign || (!lists && !hasManifest(dir))) return undefined
  const signed = sign(dir, lists)
  for (const [path, entry] of signed.entries ?? []) {
    if (isFolder(entry)) stamps.set(path, toStamp(entry))
  }
  return signed
}

function reuseFolder(scan: ScanState, path: string, indexed: IndexedFolder): readonly string[] {
  scan.after.set(path, indexed)
  if (indexed.kind === 'folder') scan.problems.push(...indexed.problems)
  else addSkill(scan, { dir: path ? `${scan.root}/${path}` : scan.root, folder: indexed, signature: undefined })
  return indexed.children
}

/** Undefined if the path is not a directory. Only the root may be a symlink. */
function stampDirectory(dir: string, isRoot: boolean): Stamp | undefined {
  const stat = (isRoot ? statSync : lstatSync)(dir, { bigint: true, throwIfNoEntry: false })
  return stat?.isDirectory() ? toStamp(stat) : undefined
}

function hasManifest(dir: string): boolean {
  return stampPath(`${dir}/skill.toml`) !== MISSING || stampPath(`${dir}/SKILL.md`) !== MISSING
}

/** Index entry of a skill's folder. */
export type IndexedSkill = Extract<IndexedFolder, { kind: 'skill' }>

/** Lists the subfolders of a skill again if its folder changed. */
function updateSkill(
  scan: ScanState,
  dir: string,
  { indexed, signed }: { indexed: IndexedSkill; signed: SignedFolder | undefined },
): IndexedSkill {
  const stamp = scan.isFlat ? indexed.stamp : stampSeen(signed, dir)
  const lists = signed ? signed.lists : indexed.lists
  if (stamp === indexed.stamp && lists === indexed.lists) return indexed
  scan.isChanged = true
  const children =
    stamp === indexed.stamp ? indexed.children : listSubfolders(dir, scan.isFlat).children
  return { ...indexed, stamp, lists, children }
}

function hasSameManifests(
  dir: string,
  indexed: IndexedSkill,
  signed: SignedFolder | undefined,
): boolean {
  return (
    stampSeen(signed, join(dir, 'skill.toml')) === indexed.toml &&
    stampSeen(signed, join(dir, 'SKILL.md')) === indexed.markdown
  )
}

/** Stamp of a file of a skill, as it was seen by its signature. */
function stampSeen(signed: SignedFolder | undefined, path: string): Stamp {
  return signed?.entries ? toStamp(signed.entries.get(path)) : stampPath(path)
}

async function readFolder(
  scan: ScanState,
  path: string,
  signed: SignedFolder | undefined,
): Promise<readonly string[]> {
  const dir = path ? `${scan.root}/${path}` : scan.root
  const stamp = path ? stampPath(dir) : toStamp(statSync(dir, { bigint: true }))
  const toml = stampPath(join(dir, 'skill.toml'))
  const markdown = stampPath(join(dir, 'SKILL.md'))
  if (toml !== MISSING || markdown !== MISSING) {
    const { readEntry } = await import('./read-entry.ts')
    const children = scan.isFlat ? [] : listSubfolders(dir, scan.isFlat).children
    const lists = signed?.lists
    const read = readEntry(dir)
    const folder = { stamp, kind: 'skill' as const, toml, markdown, lists, children, ...read }
    scan.after.set(path, folder)
    addSkill(scan, { dir, folder, signature: signed?.signature })
    return children
  }
  const { children, problems } = listSubfolders(dir, scan.isFlat)
  scan.after.set(path, { stamp, kind: 'folder', children, problems })
  scan.problems.push(...problems)
  return children
}

function addSkill(scan: ScanState, skill: ScannedSkill): void {
  scan.problems.push(...skill.folder.problems)
  if (skill.folder.entry) scan.skills.push(skill)
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
        const path = join(dir, entry.name)
        problems.push({ kind: 'unreadable', path, message, isLink: true })
      }
    }
  } catch (error) {
    // A problem would be stored in the index.
    throwIfExhausted(error)
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
