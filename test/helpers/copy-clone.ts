import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Copies the files that a clone has, with the changes of the work tree, and without a build. */
export function copyClone(folder: string): void {
  const argv = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', argv, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  for (const path of listed.split('\0').filter((each) => each !== '')) {
    // A file that was deleted and not yet committed is still listed.
    if (!existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(ROOT, path), join(folder, path), { verbatimSymlinks: true })
  }
  mkdirSync(join(folder, '.git'), { recursive: true })
}
