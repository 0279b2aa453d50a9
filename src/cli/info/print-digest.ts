import { statSync } from 'node:fs'
import { describeFiles } from '../../core/packing/packed-file.ts'
import { readSkillFiles } from '../../core/packing/read-skill-files.ts'
import { readArchiveFile } from '../../core/packing/read/read-archive.ts'
import { removeWrapper } from '../../core/packing/read/remove-wrapper.ts'
import {
  digestContent,
  formatContentManifest,
  type ContentEntry,
} from '../../core/skills/content/content-manifest.ts'
import { readContent } from '../../core/skills/content/read-content.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { findArchiveFile } from '../pack/archive-file.ts'

/** `skills info --digest`: prints the digest or the content manifest of a folder or an archive. */
export async function printDigest(context: Context, call: CommandLine): Promise<number> {
  const entries = await readManifestEntries(context, call)
  const digest = digestContent(entries)
  const withManifest = getFlagOption(call, 'manifest')
  if (context.global.json) {
    const bytes = entries.reduce((sum, { size }) => sum + size, 0)
    const files = withManifest ? { files: entries } : {}
    context.document('skills.digest/v1', { digest, file_count: entries.length, bytes, ...files })
  } else if (withManifest) context.stdout.write(formatContentManifest(entries))
  else context.print(digest)
  return 0
}

async function readManifestEntries(context: Context, call: CommandLine): Promise<ContentEntry[]> {
  const [reference = ''] = call.args
  const archive = findArchiveFile(context, reference)
  if (archive !== undefined) return describeFiles(removeWrapper(await readArchiveFile(archive)))
  const folder = await findSkillFolder(context, reference)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SkillsError('file/not-found', `There is no folder "${reference}"`, {
      hint: 'Name a skill, its folder or its archive: skills info --digest ./skills/greet',
    })
  }
  if (!getFlagOption(call, 'packed')) return await readContent(folder)
  const limits = { maxFiles: Infinity, maxBytes: Infinity }
  return describeFiles((await readSkillFiles(folder, limits)).files)
}
