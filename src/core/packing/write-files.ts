import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PackedFile } from './packed-file.ts'

/** Writes the files of an archive below a folder, which must not have any of them. */
export function writePackedFiles(
  target: string,
  files: readonly PackedFile[],
  { isDurable }: { isDurable: boolean },
): void {
  for (const { path, bytes, isExecutable } of files) {
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    const mode = isExecutable ? 0o755 : 0o644
    writeFileSync(file, bytes, { flag: 'wx', mode, flush: isDurable })
  }
}
