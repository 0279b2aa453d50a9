import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { isArchiveName } from '../../util/archive-name.ts'
import type { Context } from '../context.ts'

/** Absolute path of the archive that a word of a command line names; undefined for other words. */
export function findArchiveFile({ cwd }: Context, word: string): string | undefined {
  if (!isArchiveName(word)) return undefined
  const path = resolve(cwd, word)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return undefined
  if (stat) return path
  throw new SkillsError('file/not-found', `There is no archive "${word}"`, {
    hint: 'Create it with: skills pack <skill> --out <folder>',
  })
}
