import { invalidParamError } from '../../../errors.ts'
import { joinChunks } from '../../../util/slices/join-chunks.ts'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { findSkillPathProblem, PathSet } from '../../packing/path-problems.ts'
import { findPathProblem } from '../../skills/repository/contained-file.ts'
import { decodeContent } from '../decode-content.ts'
import type { CreateSkillParams } from './definition.ts'

type UploadedFile = NonNullable<CreateSkillParams['files']>[number]

const MAX_FILES = 1000
/** Files that have parameters of their own. */
const MANIFEST_NAMES = new Set(['skill.toml', 'skill.md'])

/**
 * Contents by path. Every path is inside the skill, and no two paths are the same file on any
 * file system.
 */
export async function collectFiles(
  uploaded: readonly UploadedFile[],
): Promise<Map<string, Buffer>> {
  if (uploaded.length > MAX_FILES)
    throw invalidParamError('files', `expected at most ${MAX_FILES} files`)
  const files = new Map<string, Buffer>()
  const paths = new PathSet()
  for (const [at, file] of uploaded.entries()) {
    const problem = describeUploadPathProblem(file.path, paths)
    if (problem)
      throw invalidParamError(
        `files.${at}.path`,
        `${JSON.stringify(file.path.slice(0, 200))}: ${problem}`,
      )
    const chunks = await runInSlices(decodeContent(`files.${at}.content`, file))
    files.set(file.path, await runInSlices(joinChunks(chunks)))
  }
  return files
}

function describeUploadPathProblem(path: string, paths: PathSet): string | undefined {
  const escape = findPathProblem(path)
  if (escape) return escape
  if (MANIFEST_NAMES.has(path.toLowerCase())) return 'it has a parameter of its own'
  const problem = findSkillPathProblem(path) ?? paths.addFile(path)
  return problem && `it ${problem}`
}
