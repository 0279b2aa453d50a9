import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

const NAMES = ['.env', '.env.local', 'secrets.env']

/** Warns of files with secrets in the current folder that git would take, or has taken. */
export async function noteExposedSecrets(
  context: Context,
  secretsFile: string | undefined,
): Promise<void> {
  const { cwd, env } = context
  const own = secretsFile === undefined ? '' : relative(cwd, secretsFile)
  const names = own === '' || own.startsWith('..') ? NAMES : [...new Set([...NAMES, own])]
  const found = names.filter((name) => existsSync(join(cwd, name)))
  if (found.length === 0) return
  const { openGitReader } = await import('../../core/comparing/snapshots/git-program.ts')
  // Without git, or outside of a repository, nothing takes them.
  const listed = await openListing(found).catch(() => undefined)
  for (const name of listed?.ok ? listed.stdout.split('\0').filter(Boolean) : []) {
    context.note(
      `Warning: git takes "${toPrintable(name)}", which has secrets: add it to .gitignore, and remove it with "git rm --cached" if it is committed`,
    )
  }

  async function openListing(paths: readonly string[]) {
    const options = ['--cached', '--others', '--exclude-standard', '-z']
    return await openGitReader(cwd, env).run(['ls-files', ...options, '--', ...paths])
  }
}
