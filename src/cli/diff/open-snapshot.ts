import { statSync } from 'node:fs'
import { basename, isAbsolute, relative } from 'node:path'
import { readFolderSnapshot } from '../../core/comparing/snapshots/folder-snapshot.ts'
import { checkGitRef, readGitSnapshot } from '../../core/comparing/snapshots/git-snapshot.ts'
import { createMemorySnapshot } from '../../core/comparing/snapshots/memory-snapshot.ts'
import type { ContentSnapshot } from '../../core/comparing/snapshots/snapshot.ts'
import { isLeftOutOfArchives } from '../../core/packing/left-out.ts'
import { readArchiveFile } from '../../core/packing/read/read-archive.ts'
import { removeWrapper } from '../../core/packing/read/remove-wrapper.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { findArchiveFile } from '../pack/archive-file.ts'
import { parseDiffTarget, type DiffTarget } from './diff-target.ts'

/** Both sides of a comparison, and the folder that locations are relative to. */
export interface OpenedSides {
  before: ContentSnapshot
  after: ContentSnapshot
  folder: string
}

/** Reads the skills that a command line names; one alone is compared with `HEAD`. */
export async function openSides(context: Context, args: readonly string[]): Promise<OpenedSides> {
  const [first = '', second] = args
  const words = second === undefined ? ['git:HEAD', first] : [first, second]
  const targets = words.map((word) => parseTarget(context, word))
  if (!targets.some((each) => each.kind !== 'commit' || each.path !== undefined)) {
    throw new SkillsError(
      'usage/invalid',
      `Expected the folder of a skill, got "${words.join('" and "')}"`,
      {
        hint: 'Name it on one side: skills diff git:v1.0.0 skills/greet, or git:v1.0.0:skills/greet',
      },
    )
  }
  const places = await Promise.all(targets.map(async (each) => await findPlace(context, each)))
  const shared = places.find((each) => each !== undefined)
  if (!shared && targets.some((each) => each.kind === 'commit')) throw noFolderError(first)
  const [before, after] = await Promise.all(
    targets.map(
      async (target, index) => await openSnapshot(context, target, places[index] ?? shared),
    ),
  )
  const hasArchive = targets.some(({ kind }) => kind === 'archive')
  const compare = hasArchive ? withoutUnpacked : (side: ContentSnapshot) => side
  return {
    before: compare(before as ContentSnapshot, after as ContentSnapshot),
    after: compare(after as ContentSnapshot, before as ContentSnapshot),
    folder: describeFolder(context, (places[1] ?? shared)?.dir ?? context.cwd),
  }
}

/** Files that stay out of archives, such as tests, are no difference to an archive. */
function withoutUnpacked(side: ContentSnapshot, other: ContentSnapshot): ContentSnapshot {
  const files = [...side.files].filter(
    ([path]) => other.files.has(path) || !isLeftOutOfArchives(path),
  )
  return { ...side, files: new Map(files) }
}

function parseTarget(context: Context, word: string): DiffTarget {
  const file = findArchiveFile(context, word)
  return file === undefined ? parseDiffTarget(word) : { kind: 'archive', file }
}

/** An archive does not say which folder of the commit it was packed from. */
function noFolderError(archive: string): SkillsError {
  return new SkillsError('usage/invalid', `Expected a skill to compare "${archive}" with`, {
    hint: `Name its folder: skills diff ${archive} skills/greet`,
  })
}

/** A folder, which need not exist if it is one of a commit. */
interface SkillPlace {
  dir: string
  /** Folder in which git looks for the repository. */
  cwd: string
  /** The skill's folder, relative to `cwd`. */
  path: string
}

async function findPlace(context: Context, target: DiffTarget): Promise<SkillPlace | undefined> {
  if (target.kind === 'archive') return undefined
  if (target.kind === 'commit') {
    return target.path === undefined ? undefined : toPlace(context, `${context.cwd}/${target.path}`)
  }
  const dir = await findSkillFolder(context, target.skill)
  const isFolder = statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder || target.ref !== undefined) return toPlace(context, dir)
  throw new SkillsError('file/not-found', `There is no folder "${toPrintable(target.skill)}"`, {
    hint: 'Type "skills list --long" to see names and folders',
  })
}

/**
 * The repository of the working directory comes first: a repository inside of a skill could show
 * another history.
 */
function toPlace({ cwd }: Context, dir: string): SkillPlace {
  const path = relative(cwd, dir)
  const isBelow = !path.startsWith('..') && !isAbsolute(path)
  return isBelow ? { dir, cwd, path } : { dir, cwd: dir, path: '' }
}

async function openSnapshot(
  context: Context,
  target: DiffTarget,
  place: SkillPlace | undefined,
): Promise<ContentSnapshot> {
  if (target.kind === 'archive') return await openArchive(context, target.file)
  if (!place) throw new TypeError('Expected a folder')
  const folder = describeFolder(context, place.dir)
  if (target.ref === undefined) {
    const snapshot = readFolderSnapshot(place.dir, folder)
    return requireSkill(snapshot, folder)
  }
  checkGitRef(target.ref)
  const label = `${folder} at ${target.ref}`
  const { cwd, path } = place
  return requireSkill(
    await readGitSnapshot({ cwd, path, ref: target.ref, env: context.env }, label),
    label,
  )
}

async function openArchive(context: Context, file: string): Promise<ContentSnapshot> {
  const label = describeFolder(context, file)
  const files = removeWrapper(await readArchiveFile(file))
  const folder = basename(file).replace(/\..*$/, '')
  return requireSkill(createMemorySnapshot(files, { label, folder }), label)
}

function requireSkill(snapshot: ContentSnapshot, label: string): ContentSnapshot {
  if (snapshot.files.has('skill.toml') || snapshot.files.has('SKILL.md')) return snapshot
  throw new SkillsError('skill/not-found', `No skill found at "${toPrintable(label)}"`, {
    hint: 'A skill is a folder with skill.toml or SKILL.md',
  })
}

function describeFolder({ cwd }: Context, dir: string): string {
  const path = relative(cwd, dir).replaceAll('\\', '/')
  return path === '' ? '.' : path.startsWith('..') ? dir : path
}
