import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PackedFile } from '../../core/packing/packed-file.ts'

/** Writes files into a temporary folder for the time of a call. */
export async function withStagedFiles<T>(
  { folder, files }: { folder: string; files: readonly PackedFile[] },
  use: (dir: string) => Promise<T>,
): Promise<T> {
  const staged = mkdtempSync(join(tmpdir(), 'skills-staged-'))
  try {
    for (const { path, bytes, isExecutable } of files) {
      const file = join(staged, folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes, { flag: 'wx', mode: isExecutable ? 0o700 : 0o600 })
    }
    return await use(join(staged, folder))
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
}
