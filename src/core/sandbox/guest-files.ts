import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The Python that runs inside. */
const GUEST_FOLDER = fileURLToPath(new URL('../../guest/', import.meta.url))

let known: { name: string; text: Buffer }[] | undefined

/** Its files, read once. */
export function guestFiles(): readonly { name: string; text: Buffer }[] {
  known ??= readdirSync(GUEST_FOLDER)
    .filter((name) => name.endsWith('.py'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(GUEST_FOLDER, name)) }))
  return known
}

/** As an interpreter is asked to compile them. */
export function guestModules(): { folder: string; digest: string } {
  const hash = createHash('sha256')
  for (const { name, text } of guestFiles()) hash.update(`${name}\0${text.length}\0`).update(text)
  return { folder: GUEST_FOLDER, digest: hash.digest('hex') }
}
