import { realpathSync } from 'node:fs'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { startWorkSlices } from '../../util/slices/work-slices.ts'
import { listContent } from '../skills/content/list-content.ts'
import { readContentFile } from '../skills/content/read-content.ts'
import { findLeftOutReason, type LeftOutReason } from './left-out.ts'
import { findForeignPathProblem } from './path-problems.ts'
import type { PackedFile } from './packed-file.ts'

/** Selection of a skill's files. */
export interface SelectionOptions {
  /** Packs the folders of tests, too. */
  withTests?: boolean
  /** Upper bounds for the packed files. */
  maxFiles: number
  maxBytes: number
}

/** A file, or a folder with everything in it, that is not packed. */
export interface LeftOut {
  /** With a slash at the end if it is a folder. */
  path: string
  reason: LeftOutReason
}

/** Reads the files of a skill that belong into an archive. */
export async function readSkillFiles(
  folder: string,
  { withTests = false, maxFiles, maxBytes }: SelectionOptions,
): Promise<{ files: PackedFile[]; leftOut: LeftOut[] }> {
  const leftOut: LeftOut[] = []
  const listed = listContent(folder, (path, isFolder) => {
    const reason = findLeftOutReason(path)
    if (reason === undefined || (reason === 'tests' && (withTests || !isFolder))) return false
    leftOut.push({ path: isFolder ? `${path}/` : path, reason })
    return true
  })
  if (listed.length > maxFiles) throw tooManyFilesError(listed.length, maxFiles)
  const yieldIfDue = startWorkSlices()
  const files: PackedFile[] = []
  const root = realpathSync.native(folder)
  let left = maxBytes
  for (const each of listed) {
    if (each.isLink) throw linkError(each.path)
    const problem = findForeignPathProblem(each.path)
    if (problem !== undefined) throw foreignPathError(each.path, problem)
    const read = readContentFile(root, each, { maxBytes: left })
    if (!read) throw tooLargeError(maxBytes)
    left -= read.bytes.length
    files.push({ path: each.path, ...read })
    await yieldIfDue()
  }
  return { files, leftOut: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

function linkError(path: string): SkillsError {
  return new SkillsError('skill/invalid', `Cannot pack the skill: "${path}" is a symbolic link`, {
    hint: 'Replace the link by a copy of the file',
    data: { path },
  })
}

function foreignPathError(path: string, problem: string): SkillsError {
  const message = `Cannot pack the skill: ${JSON.stringify(path)} ${problem}`
  return new SkillsError('skill/invalid', message, {
    hint: 'Remove the file, or move the skill into a subfolder of the project',
    data: { path },
  })
}

function tooManyFilesError(count: number, max: number): SkillsError {
  return new SkillsError(
    'file/too-large',
    `Cannot pack the skill: it has ${count} files, expected at most ${max}`,
    { hint: 'Combine data into fewer files, or raise the limit with --max-files' },
  )
}

function tooLargeError(max: number): SkillsError {
  return new SkillsError(
    'file/too-large',
    `Cannot pack the skill: its files have more than ${formatBytes(max)}`,
    { hint: 'Load large data when it is needed, or raise the limit with --max-size' },
  )
}
