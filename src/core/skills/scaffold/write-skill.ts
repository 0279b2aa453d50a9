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
 * Writes a folder whole or not at all: into a folder beside it, renamed at the end. Nothing that
 * exists is touched, and folders made on the way are removed when it does not come to the end.
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

/** Fails where something lies at the place already. */
export function checkAbsent(dir: string): void {
  const stat = statPath(dir)
  if (!stat) return
  const type = stat.isDirectory() ? 'folder' : 'file'
  throw new SkillsError('skill/exists', `The ${type} "${dir}" already exists`, {
    hint: 'Choose another name, or another parent folder with --dir',
    data: { path: dir },
  })
}

/** What lies there; a parent that is a file, or that may not be looked into, is found out later. */
function statPath(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Makes the folder that the rename replaces; two writers cannot both succeed. */
function createTargetFolder(dir: string): void {
  try {
    mkdirSync(dir)
  } catch {
    checkAbsent(dir)
  }
}

/** The folder that becomes the skill's. */
function createStagingFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, '.new-skill-'))
  } catch (cause) {
    throw notWritableError(`Cannot write in the folder "${parent}"`, cause)
  }
}

/** Answers the topmost folder that had to be made, if any. */
function createParentFolder(parent: string): string | undefined {
  try {
    return mkdirSync(parent, { recursive: true })
  } catch (cause) {
    throw notWritableError(`Cannot make the folder "${parent}"`, cause)
  }
}

function notWritableError(message: string, cause: unknown): SkillsError {
  const { code } = cause as NodeJS.ErrnoException
  return new SkillsError('file/unreadable', `${message} (${code ?? 'no reason given'})`, {
    hint: 'Choose a parent folder that you may write to with --dir',
    cause,
  })
}
