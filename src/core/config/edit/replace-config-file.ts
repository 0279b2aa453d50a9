import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { takeRandomBytes } from '../../../util/random-bytes.ts'

/** Replaces a file completely or not at all; its permission bits are preserved. */
export async function replaceConfigFile(file: string, text: string): Promise<void> {
  const folder = dirname(file)
  const staging = join(folder, `.${takeRandomBytes(6).toString('hex')}.tmp`)
  try {
    mkdirSync(folder, { recursive: true })
    const mode = lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644
    try {
      await writeSynced(staging, text)
      chmodSync(staging, mode & 0o777)
      renameSync(staging, file)
    } finally {
      rmSync(staging, { force: true })
    }
    await syncFolder(folder)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SkillsError(
      'file/unreadable',
      `Cannot write "${file}" (${code ?? 'unknown reason'})`,
      {
        hint: 'Make the folder writable, or name another file with --config',
        cause,
      },
    )
  }
}
