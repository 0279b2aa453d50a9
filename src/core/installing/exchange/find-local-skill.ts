import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { listTree } from '../../../util/list-tree.ts'
import { isSearchedFolder } from '../../../util/searched-folders.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'

const MAX_ENTRIES = 10_000
const MAX_MARKDOWN_BYTES = 1024 ** 2

/**
 * The folder of a skill with this name in its front matter: the folder itself, or the nearest one
 * below it. Undefined if there is none, or if two are equally near.
 */
export function findLocalSkill(folder: string, name: string): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  if (readFrontMatterName(join(folder, 'SKILL.md')) === name) return folder
  const entries = listTree(folder, {
    maxEntries: MAX_ENTRIES,
    isLeftOut: (entry) => entry.isDirectory() && !isSearchedFolder(entry.name),
  })
  const found = entries
    .filter((entry) => entry.isFile() && entry.name === 'SKILL.md')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFrontMatterName(file) === name)
    .map((file) => ({ folder: dirname(file), depth: file.split('/').length }))
    .sort((a, b) => a.depth - b.depth)
  const [first, second] = found
  return first?.depth === second?.depth ? undefined : first?.folder
}

function readFrontMatterName(file: string): unknown {
  // A named pipe would block.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const bytes = readUpTo(file, MAX_MARKDOWN_BYTES)
  return bytes && readMarkdown(file, bytes.toString('utf8')).frontMatter.data['name']
}
