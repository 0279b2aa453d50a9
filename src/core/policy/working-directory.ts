import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { CwdFacts } from './policy-request.ts'

const MAX_SHOWN = 5
const MAX_LISTED = 100

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
  const real = await resolveLinks(root, requested)
  if (real === undefined || !isBelowRoot(real, root)) return outside
  const found = await stat(real).catch(() => undefined)
  if (found?.isDirectory()) return { asked: requested, relative: relative(root, real) || '.' }
  throw await createMissingFolderError(
    root,
    requested,
    found ? 'is not a folder' : 'does not exist',
  )
}

/** Undefined for circular links. */
async function resolveLinks(root: string, requested: string): Promise<string | undefined> {
  try {
    return await realpath(join(root, requested))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined
    throw await createMissingFolderError(root, requested, 'does not exist')
  }
}

async function createMissingFolderError(
  root: string,
  requested: string,
  reason: string,
): Promise<SkillsError> {
  const folders = await listTopFolders(root)
  const guess = findNearest(requested.replace(/^(?:\.\/)+|\/+$/g, ''), folders)
  const shown = folders.slice(0, MAX_SHOWN).join(', ')
  return new SkillsError('file/not-found', `The working directory "${requested}" ${reason}`, {
    hint:
      guess === undefined
        ? `Use a folder relative to the repository, such as ${shown || '.'}`
        : `Did you mean "${guess}"?`,
    data: { param: 'relativeCwd' },
  })
}

/** Lists the folders of a repository, two levels deep. */
async function listTopFolders(root: string): Promise<string[]> {
  const list = async (folder: string) =>
    (await readdir(join(root, folder), { withFileTypes: true }).catch(() => []))
      .filter(
        (each) => each.isDirectory() && !each.name.startsWith('.') && each.name !== 'node_modules',
      )
      .map(({ name }) => join(folder, name))
      .sort()
  const top = (await list('')).slice(0, MAX_LISTED)
  return [...top, ...(await Promise.all(top.map(list))).flat().slice(0, MAX_LISTED)]
}

function isBelowRoot(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}
