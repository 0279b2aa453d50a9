import { constants } from 'node:fs'
import { chmod, copyFile, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { endingOf } from '../../../util/mime.ts'
import type { BlobStore } from '../../storage/blob-store.ts'

/** A folder as it was named, and what it is relative to. */
export interface Place {
  cwd: string
  dir: string
}

/** Makes the folder for blobs, so that a run whose blobs could not be saved does not start. */
export async function makePlace({ cwd, dir }: Place): Promise<void> {
  try {
    await mkdir(resolve(cwd, dir), { recursive: true })
  } catch (cause) {
    throw new SkillsError('store/unavailable', `Cannot make the folder "${dir}"`, {
      hint: 'Name another folder with --out',
      cause,
    })
  }
}

/** Copies blobs into a folder, each under its id; nothing that exists is overwritten. */
export async function saveBlobs(
  store: BlobStore,
  ids: readonly string[],
  place: Place,
): Promise<string[]> {
  const { cwd, dir } = place
  const saved: string[] = []
  await makePlace(place)
  for (const id of ids) {
    const { kind } = await store.info(id)
    const name = `${id.slice('blob:'.length)}${endingOf(kind)}`
    const target = resolve(cwd, dir, name)
    try {
      const how = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
      await copyFile(await store.file(id), target, how)
      // The copy is the caller's own, to change and remove.
      await chmod(target, 0o644)
    } catch (cause) {
      throw new SkillsError('store/unavailable', `Cannot save the blob "${id}" in "${dir}"`, {
        hint: 'Name another folder with --out',
        cause,
      })
    }
    saved.push(join(dir, name))
  }
  return saved
}
