import { runHostProgram, startHostProgram } from '../host-programs/run-host-program.ts'
import { gitError, type GitRepository } from './open-repository.ts'

const READ_TIMEOUT_MS = 30_000
const MAX_LISTING_BYTES = 16 * 1024 ** 2

/** An entry below a folder of a commit. */
export interface GitTreeEntry {
  /** Relative to the folder. */
  path: string
  id: string
  type: 'file' | 'symlink' | 'submodule' | 'special'
  isExecutable: boolean
  size: number
}

/** Lists a folder with everything below it; undefined if the commit does not have the folder. */
export async function listGitTree(
  { request, argv, options, commit }: GitRepository,
  folder: string | undefined,
): Promise<GitTreeEntry[] | undefined> {
  const tree = `${commit}:${folder ?? ''}`
  const listed = await runHostProgram([...argv, 'ls-tree', '-r', '-l', '-z', '--full-tree', tree], {
    ...options,
    timeoutMs: READ_TIMEOUT_MS,
    signal: request.signal,
    maxBytes: MAX_LISTING_BYTES,
  })
  if (!listed.ok && !listed.wasCut && folder !== undefined) return undefined
  if (!listed.ok) throw gitError(request.subject, listed)
  const lines = listed.stdout.split('\0').filter((line) => line !== '')
  return lines.map((line) => {
    const [head, path] = splitOnce(line, '\t')
    const [mode = '', , id = '', size = ''] = head.split(/ +/)
    const isExecutable = mode === '100755'
    return { path, id, type: getEntryType(mode), isExecutable, size: Number(size) || 0 }
  })
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

function getEntryType(mode: string): GitTreeEntry['type'] {
  if (mode === '120000') return 'symlink'
  if (mode === '160000') return 'submodule'
  return mode.startsWith('100') ? 'file' : 'special'
}

/** Reads the contents in one process: `<id> blob <size>`, a line feed, the content, a line feed. */
export async function readGitFiles(
  { request, argv, options }: GitRepository,
  entries: readonly GitTreeEntry[],
): Promise<Buffer[]> {
  const reader = await startHostProgram([...argv, 'cat-file', '--batch'], {
    ...options,
    timeoutMs: READ_TIMEOUT_MS,
    signal: request.signal,
  })
  reader.stdin?.on('error', () => {})
  reader.stdin?.end(entries.map(({ id }) => `${id}\n`).join(''))
  const chunks: Buffer[] = []
  for await (const chunk of reader.stdout ?? []) chunks.push(chunk as Buffer)
  const result = await reader.result
  if (!result.ok) throw gitError(request.subject, result)
  const all = Buffer.concat(chunks)
  let at = 0
  return entries.map(({ size }) => {
    const start = all.indexOf(10, at) + 1
    at = start + size + 1
    return all.subarray(start, start + size)
  })
}
