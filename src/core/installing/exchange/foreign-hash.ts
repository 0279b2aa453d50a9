import { createHash, hash } from 'node:crypto'
import type { PackedFile } from '../../packing/packed-file.ts'
import type { ForeignEntry } from './foreign-lock.ts'

/** Files of a source as the other installer reads them, with those that are not installed here. */
export interface ForeignFiles {
  files: readonly PackedFile[]
  /** Digest of the archive of a site; undefined for folders. */
  archiveDigest: string | undefined
}

/** The other tool compares in the language of the user, which is English or like it for paths. */
const collator = new Intl.Collator('en')

/** `computedHash`: SHA-256 of all paths and contents, without separators. */
export function computeFolderHash(files: readonly PackedFile[]): string {
  const sorted = files
    .filter(({ path }) => !isIgnored(path))
    .sort((a, b) => collator.compare(a.path, b.path))
  const digest = createHash('sha256')
  for (const { path, bytes } of sorted) digest.update(path).update(bytes)
  return digest.digest('hex')
}

function isIgnored(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  return folders.some((name) => name === '.git' || name === 'node_modules')
}

/** `wellKnownDigest` of a site: the digest of the archive, or one of the files of an old index. */
export function computeSiteDigest({ files, archiveDigest }: ForeignFiles): string {
  if (archiveDigest !== undefined) return archiveDigest
  const digest = createHash('sha256')
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    digest.update(path).update('\0').update(bytes).update('\0')
  }
  return `sha256:${digest.digest('hex')}`
}

/** `skillFolderHash` of GitHub: the id of the tree of git that has these files. */
export function computeGitTree(files: readonly PackedFile[]): string {
  const blobs = files.map(({ path, isExecutable, bytes }) => ({
    path: path.split('/'),
    mode: isExecutable ? '100755' : '100644',
    id: hashObject('blob', bytes),
  }))
  return hashTree(blobs).toString('hex')
}

interface GitBlob {
  path: readonly string[]
  mode: string
  id: Buffer
}

function hashTree(blobs: readonly GitBlob[]): Buffer {
  const folders = new Map<string, GitBlob[]>()
  const entries: (Omit<GitBlob, 'path'> & { name: string })[] = []
  for (const { path, mode, id } of blobs) {
    const [name = '', ...rest] = path
    if (rest.length === 0) entries.push({ name, mode, id })
    else {
      const below = folders.get(name) ?? []
      below.push({ path: rest, mode, id })
      folders.set(name, below)
    }
  }
  for (const [name, below] of folders) entries.push({ name, mode: '40000', id: hashTree(below) })
  // Git sorts a folder as if its name ended with a slash.
  const key = ({ name, mode }: (typeof entries)[number]) =>
    Buffer.from(mode === '40000' ? `${name}/` : name)
  const lines = entries
    .sort((a, b) => Buffer.compare(key(a), key(b)))
    .flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), id])
  return hashObject('tree', Buffer.concat(lines))
}

function hashObject(type: 'blob' | 'tree', content: Uint8Array): Buffer {
  const header = Buffer.from(`${type} ${content.length}\0`)
  return hash('sha1', Buffer.concat([header, content]), 'buffer')
}

/**
 * True if the files are not those that the entry describes; undefined if it does not tell. A hash
 * of another tool proves nothing: this is a remark for the user.
 */
export function hasDrifted(entry: ForeignEntry, found: ForeignFiles): boolean | undefined {
  const { hash: expected, siteDigest } = entry
  if (siteDigest !== undefined) return siteDigest !== computeSiteDigest(found)
  if (expected === undefined) return undefined
  if (expected.length === 40) return computeGitTree(found.files) !== expected
  const { files } = found
  // Downloads of skills.sh have the hash of the files that are installed.
  const candidates = [files, files.filter(({ path }) => !isLeftOutByOthers(path))]
  return candidates.every((each) => computeFolderHash(each) !== expected)
}

const NOT_INSTALLED = /^(?:\.git|__pycache__|__pypackages__)$/

/** True for files that the other installer does not copy. */
export function isLeftOutByOthers(path: string): boolean {
  const names = path.split('/')
  return (
    names.at(-1) === 'metadata.json' || names.slice(0, -1).some((name) => NOT_INSTALLED.test(name))
  )
}
