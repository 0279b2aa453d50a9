import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { SkillsError } from '../../errors.ts'
import { detectMimeType } from '../../util/mime.ts'
import type { BlobPort, BlobSummary } from '../../runtime-handle/handle.ts'
import type { Context } from '../context.ts'

const HEAD_BYTES = 4096

/** Stores a file, or standard input for `-`, as a stream. */
export async function storeInputFile(
  context: Context,
  blobs: Pick<BlobPort, 'put'>,
  { file, kind }: { file: string; kind?: string | undefined },
): Promise<BlobSummary> {
  const source =
    file === '-'
      ? openStandardInput(context)
      : createReadStream(resolve(context.cwd, file), { signal: context.signal })
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string>
  let first: IteratorResult<Uint8Array | string>
  try {
    first = await chunks.next()
  } catch (cause) {
    if (context.signal.aborted) throw cause
    throw unreadableFileError(file, cause)
  }
  const head = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value as Uint8Array)
  return await blobs.put(prependHead(head, chunks), kind ?? detectInputType(file, head))
}

/** Standard input that ends when the command is interrupted. */
export function openStandardInput(context: Context): Readable {
  const { stdin } = context
  if (stdin.isTTY === true) context.note('Reading from the terminal; end with Ctrl-D')
  return addAbortSignal(context.signal, stdin as Readable)
}

/** Error for a folder where a file is expected. */
export function folderInsteadOfFileError(folder: string): SkillsError {
  return new SkillsError('file/not-found', `"${folder}" is a folder, expected a file`, {
    hint: 'Pass a file in it',
  })
}

/** Error for a file that cannot be read. */
export function unreadableFileError(file: string, cause?: unknown): SkillsError {
  if (cause instanceof Error && 'code' in cause && cause.code === 'EISDIR') {
    return folderInsteadOfFileError(file)
  }
  return new SkillsError('file/not-found', `Cannot read the file "${file}"`, {
    hint: 'Check its path and permissions',
    cause,
  })
}

async function* prependHead(
  head: Buffer,
  rest: AsyncIterator<Uint8Array | string>,
): AsyncGenerator<Buffer> {
  yield head
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    yield Buffer.from(next.value as Uint8Array)
  }
}

/** Detects the type by name, else by the first bytes, which may end within a character. */
function detectInputType(file: string, head: Buffer): string {
  const start = head.subarray(0, HEAD_BYTES)
  const cut = [0, 1, 2, 3].find(
    (size) => detectMimeType('', start.subarray(0, start.length - size)) === 'text/plain',
  )
  return detectMimeType(file, start.subarray(0, start.length - (cut ?? 0)))
}
