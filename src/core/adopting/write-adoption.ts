import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { syncFolder, writeSynced } from '../../util/durable-file.ts'

/** Refuses a folder that has a manifest, before anything is parsed. */
export function checkAdoptable(dir: string, force: boolean): void {
  const found = lstatSync(join(dir, 'skill.toml'), { throwIfNoEntry: false })
  if (!found || (force && found.isFile())) return
  throw new SkillsError('skill/exists', `"${dir}" already has a skill.toml`, {
    hint: 'Use --dry-run to compare, --force to replace it, or --out to write a copy',
    data: { path: join(dir, 'skill.toml') },
  })
}

/**
 * Writes the files into the folder of the skill. skill.toml is the last and appears in one step: the
 * other files have no effect without it, and are written again after a crash.
 */
export async function writeAdoption(
  dir: string,
  files: ReadonlyMap<string, string>,
  { force }: { force: boolean },
): Promise<void> {
  checkAdoptable(dir, force)
  for (const [path, text] of files) {
    if (path !== 'skill.toml') checkOwn(dir, { path, text, force })
  }
  for (const [path, text] of files) {
    const file = join(dir, path)
    const folder = dirname(file)
    mkdirSync(folder, { recursive: true })
    if (!lstatSync(folder).isDirectory()) throw linkError(folder)
    const staged = join(folder, `.adopting-${process.pid}`)
    rmSync(staged, { force: true })
    try {
      await writeSynced(staged, text)
      renameSync(staged, file)
    } catch (thrown) {
      rmSync(staged, { force: true })
      throw thrown
    }
    await syncFolder(folder)
  }
}

/** A file of the skill is not replaced, and a link is not followed. */
function checkOwn(
  dir: string,
  { path, text, force }: { path: string; text: string; force: boolean },
): void {
  const folder = lstatSync(join(dir, dirname(path)), { throwIfNoEntry: false })
  if (folder && !folder.isDirectory()) throw linkError(join(dir, dirname(path)))
  const found = lstatSync(join(dir, path), { throwIfNoEntry: false })
  if (!found) return
  if (found.isFile() && (force || readFileSync(join(dir, path), 'utf8') === text)) return
  throw new SkillsError('skill/exists', `"${path}" already exists with other content`, {
    hint: 'Rename it, use --force to replace it, or --out to write a copy',
    data: { path: join(dir, path) },
  })
}

function linkError(path: string): SkillsError {
  return new SkillsError(
    'file/outside',
    `"${path}" is not a folder, so files are not written through it`,
    {
      hint: 'Replace the link by a folder, or use --out to write a copy',
    },
  )
}
