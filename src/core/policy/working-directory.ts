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
export async function resolveCwd(root: string, asked: string): Promise<CwdFacts> {
  const problem = (why: string): CwdFacts => ({
    asked,
    problem: 'cwd-escape-attempt',
    sentence: `The working directory "${asked}" ${why}`,
  })
  if (asked.includes('\0')) return problem('has a NUL')
  if (/^(?:[/\\]|[A-Za-z]:)/.test(asked)) {
    return problem('is absolute, expected a path below the repository')
  }
  const outside = problem('is outside of the repository')
  // Callers on other systems may use `..\` as a path separator.
  const candidates = [join(root, asked), join(root, asked.replaceAll('\\', '/'))]
  if (!candidates.every((path) => isBelowRoot(path, root))) return outside
  const real = await resolveLinks(candidates[0] as string, asked)
  if (real === undefined || !isBelowRoot(real, root)) return outside
  const found = await stat(real).catch(() => undefined)
  if (found?.isDirectory()) return { asked, relative: relative(root, real) || '.' }
  throw createMissingFolderError(asked, found ? 'is not a folder' : 'does not exist')
}

/** Undefined for circular links. */
async function resolveLinks(path: string, asked: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined
    throw createMissingFolderError(asked, 'does not exist')
  }
}

function createMissingFolderError(asked: string, why: string): SkillsError {
  return new SkillsError('file/not-found', `The working directory "${asked}" ${why}`, {
    hint: 'Use a folder relative to the repository',
    data: { param: 'relativeCwd' },
  })
}

function isBelowRoot(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}
