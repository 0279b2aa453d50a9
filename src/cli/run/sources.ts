import { createReadStream, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError } from '../../errors.ts'
import { kindOf } from '../../util/mime.ts'
import type { Context } from '../context.ts'

/** Where a run's code, arguments and blobs are read from; a watched run reads them many times. */
export interface Sources {
  /** All of standard input. */
  standardInput(): Promise<string>
  text(file: string): string
  /** Stores a file, or `-` for standard input, and answers with the blob's id. */
  blob(runtime: Runtime, file: string): Promise<string>
}

const HEAD_BYTES = 4096

/** Opens the sources of one command line. */
export function openSources(context: Context): Sources {
  const stored = new Map<string, Promise<string>>()
  let input: Promise<string> | undefined
  return {
    async standardInput() {
      input ??= readAll(context)
      return await input
    },
    text: (file) => readText(context, file),
    async blob(runtime, file) {
      const key = file === '-' ? '-' : stampedPath(context, file)
      let id = stored.get(key)
      if (!id) {
        id = store(context, runtime, file)
        stored.set(key, id)
      }
      return await id
    },
  }
}

async function readAll(context: Context): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of inputOf(context)) chunks.push(Buffer.from(chunk as Uint8Array))
  return decode(Buffer.concat(chunks), 'Standard input')
}

/** Standard input that ends at once when the command is interrupted. */
function inputOf(context: Context): Readable {
  const { stdin } = context
  if (stdin.isTTY === true) context.note('Reading from the terminal; end with Ctrl-D')
  return addAbortSignal(context.signal, stdin as Readable)
}

function readText(context: Context, file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(resolve(context.cwd, file))
  } catch (cause) {
    throw unreadable(file, cause)
  }
  return decode(bytes, `The file "${file}"`)
}

/** UTF-8 without a byte order mark. */
function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SkillsError('file/unreadable', `${what} is not UTF-8 text`, {
      hint: 'Store bytes as a blob instead: --blob key=file',
      cause,
    })
  }
}

/** The same for the same content: a file that did not change is stored once. */
function stampedPath(context: Context, file: string): string {
  const path = resolve(context.cwd, file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat || stat.isDirectory()) throw unreadable(file)
  return `${path}\0${stat.size}\0${stat.mtimeMs}\0${stat.ino}`
}

async function store(context: Context, runtime: Runtime, file: string): Promise<string> {
  const source =
    file === '-'
      ? inputOf(context)
      : createReadStream(resolve(context.cwd, file), { signal: context.signal })
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string>
  let first: IteratorResult<Uint8Array | string>
  try {
    first = await chunks.next()
  } catch (cause) {
    if (context.signal.aborted) throw cause
    throw unreadable(file, cause)
  }
  const head = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value as Uint8Array)
  const writer = await (await runtime.blobs()).writer({ kind: sniff(file, head) })
  try {
    await writer.write(head)
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      await writer.write(Buffer.from(next.value as Uint8Array))
    }
    return (await writer.commit()).id
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** By the name, else by the beginning, whose last character may be cut. */
function sniff(file: string, head: Buffer): string {
  const start = head.subarray(0, HEAD_BYTES)
  const cut = [0, 1, 2, 3].find(
    (size) => kindOf('', start.subarray(0, start.length - size)) === 'text/plain',
  )
  return kindOf(file, start.subarray(0, start.length - (cut ?? 0)))
}

function unreadable(file: string, cause?: unknown): SkillsError {
  return new SkillsError('file/not-found', `Cannot read the file "${file}"`, {
    hint: 'Check its path and permissions',
    cause,
  })
}
