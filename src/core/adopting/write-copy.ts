import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { listSourceFiles } from '../skills/manifest/read-source.ts'
import { writeSkill } from '../skills/scaffold/write-skill.ts'
import { quoteShellWord } from '../../util/shell-word.ts'

interface CopyRequest {
  dir: string
  /** Folder of the copy, which must not exist. */
  target: string
  files: ReadonlyMap<string, string>
  signal?: AbortSignal | undefined
  force: boolean
}

const MAX_BYTES = 64 * 1024 ** 2

/** Writes a copy of the skill with the new files, completely or not at all. */
export function writeAdoptedCopy({ dir, target, files, signal, force }: CopyRequest): void {
  const { files: found, cut } = listSourceFiles(dir)
  const total = found.reduce((sum, { size }) => sum + size, 0)
  if (cut || total > MAX_BYTES) {
    throw new SkillsError(
      'skill/invalid',
      `"${dir}" is too large to be copied: at most 10000 files and 64 MiB`,
      {
        hint: 'Adopt it in its own folder, without --out',
      },
    )
  }
  const content = new Map<string, string | Uint8Array>()
  const executables: string[] = []
  for (const { path, type, mode } of found) {
    if (type === 'directory' || path.startsWith('.git/')) continue
    if (type !== 'file') {
      throw new SkillsError(
        'file/outside',
        `"${path}" is a link or a special file, which is not copied`,
        {
          hint: 'Replace it by a file, or adopt the skill in its own folder',
        },
      )
    }
    checkFree(files, path, force)
    content.set(path, readFileSync(join(dir, path)))
    if ((mode & 0o111) !== 0) executables.push(path)
  }
  for (const [path, text] of files) content.set(path, text)
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw new SkillsError('skill/exists', `"${target}" already exists`, {
      hint: 'Choose another folder with --out',
      data: { path: target },
    })
  }
  const formatCommand = ({ dir: parent = '' }) =>
    `skills adopt ${quoteShellWord(dir)} --out ${quoteShellWord(parent)}`
  writeSkill(target, content, { signal, formatCommand, executables })
}

function checkFree(files: ReadonlyMap<string, string>, path: string, force: boolean): void {
  if (!files.has(path) || force) return
  throw new SkillsError('skill/exists', `The skill already has "${path}"`, {
    hint: 'Use --force to replace it in the copy',
  })
}
