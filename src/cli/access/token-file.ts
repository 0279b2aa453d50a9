import { resolve } from 'node:path'
import { readTrusted } from '../../core/config/read-trusted.ts'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'

/** Reads the text of a token file, which others must not be able to change. */
export function readTokenFile({ cwd }: Pick<Context, 'cwd'>, file: string): string {
  const hint = 'Check its path and permissions'
  const errors = { code: 'usage/invalid', hint } as const
  const text = readTrusted(resolve(cwd, file), 'the token file', errors)
  if (text !== undefined) return text
  throw new SkillsError('usage/invalid', `Cannot read the token file "${file}"`, { hint })
}
