import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'

/**
 * Writes a folder completely or not at all: into a staging folder next to it, renamed at the end.
 * Existing files are not changed, and created parent folders are removed on failure.
 */
export function writeSkill(
  dir: string,
  files: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): void {
  checkAbsent(dir)
  const parent = dirname(dir)
  const createdParent = createParentFolder(parent)
  const staging = createStagingFolder(parent)
  try {
    for (const [path, text] of files) {
      const file = join(staging, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    signal?.throwIfAborted()
    createTargetFolder(dir)
    renameSync(staging, dir)
  } catch (thrown) {
    rmSync(staging, { recursive: true, force: true })
    if (createdParent) rmSync(createdParent, { recursive: true, force: true })
    throw thrown
  }
}

/** Throws if the path exists. */
export function checkAbsent(dir: string): void {
  const stat = statPath(dir)
  if (!stat) return
  const type = stat.isDirectory() ? 'folder' : 'file'
  throw new SkillsError('skill/exists', `The ${type} "${dir}" already exists`, {
    hint: 'Choose another name, or another parent folder with --dir',
    data: { path: dir },
  })
}

/** Stat of a path. If the parent is a file or inaccessible, the later write reports it. */
function statPath(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Creates the folder that the rename replaces, so that only one of two writers succeeds. */
function createTargetFolder(dir: string): void {
  try {
    mkdirSync(dir)
  } catch {
    checkAbsent(dir)
  }
}

/** Creates the staging folder that becomes the skill's folder. */
function createStagingFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, '.new-skill-'))
  } catch (cause) {
    throw notWritableError(`Cannot write in the folder "${parent}"`, cause)
  }
}

/** Returns the topmost folder that was created, if any. */
function createParentFolder(parent: string): string | undefined {
  try {
    return mkdirSync(parent, { recursive: true })
  } catch (cause) {
    throw notWritableError(`Cannot create the folder "${parent}"`, cause)
  }
}

function notWritableError(message: string, cause: unknown): SkillsError {
  const { code } = cause as NodeJS.ErrnoException
  return new SkillsError('file/unreadable', `${message} (${code ?? 'unknown reason'})`, {
    hint: 'Choose a writable parent folder with --dir',
    cause,
  })
}
