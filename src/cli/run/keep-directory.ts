import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** The folder of --keep; an existing one is rejected. */
export function readKeepDirectory(context: Context, call: CommandLine): string | undefined {
  const { keep } = call.options
  if (keep === true) {
    const base = context.env['TMPDIR'] || tmpdir()
    return join(base, `skills-workspace-${randomBytes(4).toString('hex')}`)
  }
  if (typeof keep !== 'string') return undefined
  if (!existsSync(dirname(resolve(context.cwd, keep)))) {
    throw new SkillsError('file/not-found', `There is no folder "${dirname(keep)}"`, {
      hint: 'Create it first, or use another folder with --keep=<dir>',
    })
  }
  if (!existsSync(resolve(context.cwd, keep))) return keep
  throw new SkillsError('usage/invalid', `"${keep}" already exists and is not overwritten`, {
    hint: 'Use a new folder with --keep=<dir>',
  })
}

/** True if watched runs write the path themselves: folders of --keep, blobs of --out. */
export function isRunOutput(
  context: Context,
  path: string,
  { keep, out }: { keep: string | undefined; out: string | undefined },
): boolean {
  const isBlob = /^[0-9a-f]{32}\.\w+$/.test(basename(path))
  if (out !== undefined && isBlob && dirname(path) === resolve(context.cwd, out)) return true
  if (keep === undefined) return false
  const base = resolve(context.cwd, keep)
  return path.startsWith(base) && /^(?:-\d+)?$/.test(path.slice(base.length))
}

/** Each watched run gets its own folder: `dir`, `dir-2`, `dir-3`. */
export function chooseKeepDirectory(context: Context, dir: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? dir : `${dir}-${number}`
    if (!existsSync(resolve(context.cwd, name))) return name
  }
}
