import { basename, dirname } from 'node:path'
import { openGitReader } from '../../comparing/snapshots/git-program.ts'
import { lockError, parseLockFile, type LockedSkill } from '../lock-file.ts'
import type { MergedSides } from './merge-locks.ts'

/**
 * Reads the sides of an unfinished merge from the index of git. The text between conflict markers
 * does not tell them: git has merged other lines of both sides already.
 */
export async function readMergedSides(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<MergedSides> {
  const git = openGitReader(dirname(file), env)
  const listed = await git.run(['ls-files', '--unmerged', '-z', '--', basename(file)])
  const ids = new Map(
    [...listed.stdout.matchAll(/\d{6} ([0-9a-f]{40,64}) ([123])\t[^\0]*\0/g)].map(
      ([, id = '', stage = '']) => [stage, id] as const,
    ),
  )
  if (ids.size === 0) {
    throw lockError(
      file,
      'it has conflict markers, and git has no unfinished merge of it',
      'Type "git checkout --merge skills.lock" to begin again, or restore it from version control',
    )
  }
  const read = async (stage: string, side: string): Promise<LockedSkill[]> => {
    const id = ids.get(stage)
    if (id === undefined) return []
    const { ok, stdout } = await git.run(['cat-file', 'blob', id])
    if (!ok) throw lockError(file, `git has no content for its side "${side}"`)
    return parseLockFile(stdout, `${file} (${side})`)
  }
  return {
    base: await read('1', 'base'),
    ours: await read('2', 'ours'),
    theirs: await read('3', 'theirs'),
  }
}
