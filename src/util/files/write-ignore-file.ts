import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileWhole } from './write-file-whole.ts'

/** Keeps a folder out of git. An existing file stays: as a link, it could lead out of the folder. */
export async function writeIgnoreFile(folder: string): Promise<void> {
  const file = join(folder, '.gitignore')
  if (lstatSync(file, { throwIfNoEntry: false })) return
  await writeFileWhole(file, '*\n')
}
