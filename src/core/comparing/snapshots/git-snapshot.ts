import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { describeGitError, openGitReader, type GitReader } from './git-program.ts'
import { isLeftOutPath } from './left-out-paths.ts'
import { SnapshotBuilder } from './snapshot-builder.ts'
import { MAX_SNAPSHOT_FILES, type ContentSnapshot } from './snapshot.ts'

/** A folder at a commit of the repository around it. */
export interface GitTarget {
  /** Folder in which git looks for the repository; it exists. */
  cwd: string
  /** Branch, tag, commit or `HEAD~2`. */
  ref: string
  /** Folder of the skill, relative to `cwd`. */
  path: string
  env: Readonly<Record<string, string | undefined>>
}

/** Characters of refs and of suffixes such as `~2`; no option, range, path or search. */
const REF = /^[A-Za-z0-9_@][\w./@{}~^+-]{0,249}$/

/** Throws `usage/invalid` for a text that git could read as anything but a commit. */
export function checkGitRef(ref: string): void {
  const isRef = REF.test(ref) && !/\.\.|\/\/|\^\{/.test(ref)
  if (isRef) return
  throw new SkillsError(
    'usage/invalid',
    `"${toPrintable(ref.slice(0, 100))}" is not a valid git reference`,
    {
      hint: 'Use a branch, a tag, a commit, or HEAD~1',
    },
  )
}

/** Reads a folder of a commit from git's objects. Nothing is checked out. */
export async function readGitSnapshot(target: GitTarget, label: string): Promise<ContentSnapshot> {
  const { ref, path, cwd, env } = target
  checkGitRef(ref)
  const git = openGitReader(cwd, env)
  const commit = await resolveCommit(git, ref)
  const folder = await resolvePath(git, path)
  const entries = await listTreeEntries(git, commit, folder)
  if (entries.length === 0) {
    throw new SkillsError(
      'skill/not-found',
      `There is no folder "${toPrintable(folder)}" at ${ref}`,
      {
        hint: `List its skills with: git ls-tree -r --name-only ${ref}`,
      },
    )
  }
  const name = folder === '' ? basename(cwd) : basename(folder)
  return await readEntries(git, new SnapshotBuilder(label, name), entries)
}

async function resolveCommit(git: GitReader, ref: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  const { ok, stdout, stderr } = await git.run(args)
  const commit = stdout.trim()
  if (ok && /^[0-9a-f]{40,64}$/.test(commit)) return commit
  const reason = describeGitError(stderr)
  if (reason !== '') {
    throw new SkillsError('file/unreadable', `Cannot read the git repository: ${reason}`, {
      hint: 'Run the command in a git repository, or compare two folders',
    })
  }
  throw new SkillsError('file/not-found', `git has no commit "${ref}"`, {
    hint: 'List branches and tags with: git branch --all && git tag',
  })
}

/** The folder of the skill from the top of the repository, without a slash at the end. */
async function resolvePath(git: GitReader, path: string): Promise<string> {
  const { ok, stdout, stderr } = await git.run(['rev-parse', '--show-prefix'])
  if (!ok) {
    throw new SkillsError(
      'file/unreadable',
      `Cannot read the git repository: ${describeGitError(stderr)}`,
      {
        hint: 'Run the command in a git repository, or compare two folders',
      },
    )
  }
  const parts: string[] = []
  for (const part of `${stdout.replace(/\n$/, '')}/${path}`.split('/')) {
    if (part === '..' && parts.length === 0) {
      throw new SkillsError(
        'file/outside',
        `"${toPrintable(path)}" is outside of the git repository`,
        {
          hint: 'Use a folder of the repository',
        },
      )
    }
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

interface SnapshotEntry {
  path: string
  mode: string
  id: string
  size: number
}

async function listTreeEntries(
  git: GitReader,
  commit: string,
  folder: string,
): Promise<SnapshotEntry[]> {
  const tree = folder === '' ? commit : `${commit}:${folder}`
  const listed = await git.run(['ls-tree', '-r', '-l', '-z', '--full-tree', tree])
  if (!listed.ok) return []
  return listed.stdout
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t')
      const [mode = '', , id = '', size = ''] = line.slice(0, tab).split(/ +/)
      return { path: line.slice(tab + 1), mode, id, size: Number(size) || 0 }
    })
    .filter(({ path }) => !isLeftOutPath(path))
}

async function readEntries(
  git: GitReader,
  builder: SnapshotBuilder,
  entries: readonly SnapshotEntry[],
): Promise<ContentSnapshot> {
  const blobs = entries.slice(0, MAX_SNAPSHOT_FILES).filter(({ mode }) => mode !== '160000')
  const program = await git.start(['cat-file', '--batch'])
  program.stdin?.on('error', () => {})
  program.stdin?.end(blobs.map(({ id }) => `${id}\n`).join(''))
  const reader = new GitBlobReader(program.stdout)
  try {
    for (const blob of blobs) {
      if (builder.isFull()) break
      await addBlob(builder, reader, blob)
    }
  } finally {
    program.end()
    await program.result
  }
  for (const { path, mode } of entries) if (mode === '160000') builder.addSpecial(path, 0)
  if (entries.length > MAX_SNAPSHOT_FILES) builder.noteTooMany()
  return builder.build()
}

/** Longest target of a link on Linux. */
const MAX_LINK = 4096

async function addBlob(
  builder: SnapshotBuilder,
  reader: GitBlobReader,
  { path, mode, id }: SnapshotEntry,
): Promise<void> {
  const header = await reader.readLine()
  const found = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(header)
  if (!found || found[1] !== id) {
    throw new SkillsError('file/unreadable', `git has no content for "${toPrintable(path)}"`, {
      hint: 'Fetch the missing objects with: git fetch --refetch',
    })
  }
  const size = Number(found[2])
  const hash = createHash('sha256')
  const isLink = mode === '120000'
  const isKept = isLink ? size <= MAX_LINK : builder.keepsSize(size)
  const kept: Buffer[] | undefined = isKept ? [] : undefined
  await reader.readBytes(size, (part) => {
    hash.update(part)
    kept?.push(part)
  })
  await reader.readBytes(1, () => {})
  const bytes = kept && Buffer.concat(kept)
  if (isLink) builder.addLink(path, bytes?.toString('utf8') ?? '')
  else {
    const bits = mode === '100755' ? 0o755 : 0o644
    builder.addFile(path, { mode: bits, size, digest: hash.digest('hex'), bytes })
  }
}

/** Reads `<id> blob <size>`, a line feed, the content and a line feed from `git cat-file`. */
class GitBlobReader {
  readonly #chunks: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(stream: Readable | null) {
    const empty: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => ({ next: endOfStream }) }
    this.#chunks = ((stream ?? empty) as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  async readLine(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf(10)
      if (end !== -1) {
        const line = this.#buffer.subarray(0, end).toString('utf8')
        this.#buffer = this.#buffer.subarray(end + 1)
        return line
      }
      if (!(await this.#fill())) return ''
    }
  }

  async readBytes(size: number, receive: (part: Buffer) => void): Promise<void> {
    for (let rest = size; rest > 0;) {
      if (this.#buffer.length === 0 && !(await this.#fill())) return
      const part = this.#buffer.subarray(0, rest)
      receive(part)
      rest -= part.length
      this.#buffer = this.#buffer.subarray(part.length)
    }
  }

  async #fill(): Promise<boolean> {
    const next = await this.#chunks.next()
    if (next.done === true) return false
    this.#buffer =
      this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value])
    return true
  }
}

async function endOfStream(): Promise<IteratorResult<Buffer>> {
  return { done: true, value: undefined }
}
