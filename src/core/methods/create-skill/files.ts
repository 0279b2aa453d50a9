import { invalidParamError } from '../../../errors.ts'
import { joinChunks } from '../../../util/slices/join-chunks.ts'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { findPathProblem } from '../../skills/repository/contained-file.ts'
import { decodeContent } from '../decode-content.ts'
import type { CreateSkillParams } from './definition.ts'

type UploadedFile = NonNullable<CreateSkillParams['files']>[number]

const MAX_FILES = 1000
const MAX_PATH = 500
const MAX_SEGMENT = 200
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
  const names = new Map<string, string>()
  for (const [at, file] of uploaded.entries()) {
    const problem = describeUploadPathProblem(file.path)
    if (problem)
      throw invalidParamError(
        `files.${at}.path`,
        `${JSON.stringify(file.path.slice(0, 200))}: ${problem}`,
      )
    const key = file.path.toLowerCase()
    const duplicate = names.get(key)
    if (duplicate !== undefined)
      throw invalidParamError(`files.${at}.path`, `"${file.path}" is a repeated path`)
    names.set(key, file.path)
    const chunks = await runInSlices(decodeContent(`files.${at}.content`, file))
    files.set(file.path, await runInSlices(joinChunks(chunks)))
  }
  rejectNestedPaths(names)
  return files
}

function describeUploadPathProblem(path: string): string | undefined {
  const escape = findPathProblem(path)
  if (escape) return escape
  if (MANIFEST_NAMES.has(path.toLowerCase())) return 'it has a parameter of its own'
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f<>:"|?*]|[\ud800-\udfff]/.test(path)) {
    return 'it contains a character that not every system allows'
  }
  if (
    exceedsBytes(path, MAX_PATH) ||
    path.split('/').some((part) => exceedsBytes(part, MAX_SEGMENT))
  ) {
    return 'it is too long'
  }
  if (/(?:^|\/)[^/]*[. ](?:\/|$)/.test(path)) return 'a segment of it ends with a dot or space'
  return undefined
}

/** Compares bytes, since file systems limit names in bytes. */
function exceedsBytes(text: string, limit: number): boolean {
  return Buffer.byteLength(text) > limit
}

/** `a` and `a/b` cannot both be files. */
function rejectNestedPaths(names: ReadonlyMap<string, string>): void {
  for (const [key, path] of names) {
    const parts = key.split('/')
    for (let length = 1; length < parts.length; length++) {
      if (!names.has(parts.slice(0, length).join('/'))) continue
      throw invalidParamError('files', `"${path}" is below a path that is also a file`)
    }
  }
}
