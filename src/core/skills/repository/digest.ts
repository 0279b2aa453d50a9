import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { readSkillSource } from '../manifest/read-source.ts'

/** SHA-256 over paths, executable bits and contents of a folder's regular files. */
export async function digestFolder(dir: string): Promise<string> {
  const folderHash = createHash('sha256')
  for (const file of readSkillSource(dir).files) {
    if (file.type !== 'file') continue
    const executable = (file.mode & 0o100) !== 0 ? 'x' : '-'
    folderHash.update(
      `${JSON.stringify(file.path)} ${executable} ${await digestFile(join(dir, file.path))}\n`,
    )
  }
  return `sha256:${folderHash.digest('hex')}`
}

async function digestFile(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { fd: handle })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
