import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { checkAbsent, type FormatCommand } from './target-folder.ts'

/** Content of a new skill by path; paths have forward slashes. */
export type SkillFiles = ReadonlyMap<string, string | Uint8Array>

interface WriteOptions {
  signal?: AbortSignal | undefined
  formatCommand: FormatCommand
  /** Paths of files with the executable bit. */
  executables?: readonly string[] | undefined
}

/** The shell expands the tilde. */
const HOME_SKILLS = '~/skills'

/**
 * Writes a folder completely or not at all: into a staging folder next to it, renamed at the end.
 * Existing files are not changed, and created parent folders are removed on failure.
 */
export function writeSkill(
  dir: string,
  files: SkillFiles,
  { signal, formatCommand, executables = [] }: WriteOptions,
): void {
  checkAbsent(dir)
  const parent = dirname(dir)
  const createdParent = createParentFolder(parent, formatCommand)
  const staging = createStagingFolder(parent, formatCommand)
  try {
    for (const [path, text] of files) {
      const file = join(staging, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, executables.includes(path) ? { mode: 0o777 } : {})
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

/** Creates the folder that the rename replaces, so that only one of two writers succeeds. */
function createTargetFolder(dir: string): void {
  try {
    mkdirSync(dir)
  } catch {
    checkAbsent(dir)
  }
}

/** Creates the staging folder that becomes the skill's folder. */
function createStagingFolder(parent: string, formatCommand: FormatCommand): string {
  try {
    return mkdtempSync(join(parent, '.new-skill-'))
  } catch (cause) {
    throw notWritableError(`Cannot write in the folder "${parent}"`, formatCommand, cause)
  }
}

/** Returns the topmost folder that was created, if any. */
function createParentFolder(
  parent: string,
  formatCommand: FormatCommand,
): string | undefined {
  try {
    return mkdirSync(parent, { recursive: true })
  } catch (cause) {
    throw notWritableError(`Cannot create the folder "${parent}"`, formatCommand, cause)
  }
}

function notWritableError(
  message: string,
  formatCommand: FormatCommand,
  cause: unknown,
): SkillsError {
  const { code } = cause as NodeJS.ErrnoException
  const command = formatCommand({ dir: HOME_SKILLS }).replace(`'${HOME_SKILLS}'`, HOME_SKILLS)
  return new SkillsError('file/unreadable', `${message} (${code ?? 'unknown reason'})`, {
    hint: `Choose a writable parent folder with --dir, such as: ${command}`,
    cause,
  })
}
