import { realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { CwdFacts } from './policy-request.ts'

/**
 * Resolves the working directory of a run in a repository, whose `root` has its links resolved.
 * Throws `file/not-found` if it does not exist. This check is for the caller's error message;
 * against links that change afterwards, the sandbox enters the folder where only the repository is
 * mounted.
 */
export async function resolveCwd(root: string, requested: string): Promise<CwdFacts> {
  const problem = (reason: string): CwdFacts => ({
    asked: requested,
    problem: 'cwd-escape-attempt',
    sentence: `The working directory "${requested}" ${reason}`,
  })
  if (requested.includes('\0')) return problem('has a NUL')
  if (/^(?:[/\\]|[A-Za-z]:)/.test(requested)) {
    return problem('is absolute, expected a path below the repository')
  }
  const outside = problem('is outside of the repository')
  // Callers on other systems may use `..\` as a path separator.
  const candidates = [join(root, requested), join(root, requested.replaceAll('\\', '/'))]
  if (!candidates.every((path) => isBelowRoot(path, root))) return outside
  const real = await resolveLinks(candidates[0] as string, requested)
  if (real === undefined || !isBelowRoot(real, root)) return outside
  const found = await stat(real).catch(() => undefined)
  if (found?.isDirectory()) return { asked: requested, relative: relative(root, real) || '.' }
  throw createMissingFolderError(requested, found ? 'is not a folder' : 'does not exist')
}

/** Undefined for circular links. */
async function resolveLinks(path: string, requested: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined
    throw createMissingFolderError(requested, 'does not exist')
  }
}

function createMissingFolderError(requested: string, reason: string): SkillsError {
  return new SkillsError('file/not-found', `The working directory "${requested}" ${reason}`, {
    hint: 'Use a folder relative to the repository',
    data: { param: 'relativeCwd' },
  })
}

function isBelowRoot(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}
