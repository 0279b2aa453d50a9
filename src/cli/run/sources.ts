import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { readStreamUpTo, readUpTo } from '../../util/bytes/read-up-to.ts'
import type { BlobPort } from '../../runtime-handle/handle.ts'
import type { Context } from '../context.ts'
import {
  folderInsteadOfFileError,
  openStandardInput,
  storeInputFile,
  unreadableFileError,
} from '../store/store-input.ts'

/** The same limit as the server's. */
const MAX_TEXT_BYTES = 32 * 1024 ** 2

/** Sources of a run's code, arguments and blobs; a watched run reads them repeatedly. */
export interface Sources {
  readStdin(): Promise<string>
  readText(file: string): string
  /** Stores a file, or standard input for `-`, and returns the blob's id. */
  storeBlob(blobs: BlobPort, file: string): Promise<string>
}

/** Opens the sources of one command line. */
export function openSources(context: Context): Sources {
  const stored = new Map<string, Promise<string>>()
  let input: Promise<string> | undefined
  return {
    async readStdin() {
      input ??= readStandardInput(context)
      return await input
    },
    readText: (file) => readTextFile(context, file),
    async storeBlob(blobs, file) {
      const key = file === '-' ? '-' : stampPath(context, file)
      let id = stored.get(key)
      if (!id) {
        id = storeInputFile(context, blobs, { file }).then((blob) => blob.id)
        stored.set(key, id)
      }
      return await id
    },
  }
}

async function readStandardInput(context: Context): Promise<string> {
  const bytes = await readStreamUpTo(openStandardInput(context), MAX_TEXT_BYTES)
  if (!bytes) throw textTooLargeError('Standard input')
  return decodeText(bytes, 'Standard input')
}

function readTextFile(context: Context, file: string): string {
  let bytes: Buffer | undefined
  try {
    bytes = readUpTo(resolve(context.cwd, file), MAX_TEXT_BYTES)
  } catch (cause) {
    throw unreadableFileError(file, cause)
  }
  if (!bytes) throw textTooLargeError(`The file "${file}"`)
  return decodeText(bytes, `The file "${file}"`)
}

function textTooLargeError(label: string): SkillsError {
  return new SkillsError(
    'file/too-large',
    `${label} has more than ${formatBytes(MAX_TEXT_BYTES)}`,
    {
      hint: 'Pass it as a blob: --blob key=file',
    },
  )
}

/** Decodes UTF-8 and drops a byte order mark. */
function decodeText(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SkillsError('file/unreadable', `${label} is not UTF-8 text`, {
      hint: 'Pass bytes as a blob: --blob key=file',
      cause,
    })
  }
}

/** Changes when the file is modified or replaced, so that an unchanged file is stored once. */
function stampPath(context: Context, file: string): string {
  const path = resolve(context.cwd, file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw unreadableFileError(file)
  if (stat.isDirectory()) throw folderInsteadOfFileError(file)
  return `${path}\0${stat.size}\0${stat.mtimeMs}\0${stat.ino}`
}
