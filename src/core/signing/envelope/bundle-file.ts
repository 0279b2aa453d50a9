import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { readSync } from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { formatEnvelope, parseEnvelope, type SignedEnvelope } from './dsse.ts'

/** Extension of a file of envelopes, one a line. */
export const BUNDLE_EXTENSION = '.intoto.jsonl'

const MAX_BYTES = 8 * 1024 ** 2
const MAX_ENVELOPES = 16

/** Reads the envelopes of a file; undefined if it does not exist. */
export function readBundle(file: string): SignedEnvelope[] | undefined {
  const text = readBundleText(file)
  return text === undefined ? undefined : parseBundle(text, file)
}

/** Parses the text of a file of envelopes; `file` is for messages. */
export function parseBundle(text: string, file: string): SignedEnvelope[] {
  const lines = splitBundle(text)
  if (lines.length > MAX_ENVELOPES) {
    throw malformedBundleError(file, `it has more than ${MAX_ENVELOPES} lines`)
  }
  return lines.map((line, at) =>
    parseEnvelope(line, (problem) => malformedBundleError(file, `line ${at + 1}: ${problem}`)),
  )
}

/** One envelope a line, or one bundle of sigstore on several lines. */
function splitBundle(text: string): string[] {
  if (/^\s*\{\s*\n/.test(text)) return [text]
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** Replaces a file of envelopes atomically. */
export async function writeBundle(
  file: string,
  envelopes: readonly SignedEnvelope[],
): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  try {
    await writeSynced(draft, envelopes.map((each) => `${formatEnvelope(each)}\n`).join(''))
    renameSync(draft, file)
    await syncFolder(dirname(file))
  } finally {
    rmSync(draft, { force: true })
  }
}

function readBundleText(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    throwIfExhausted(cause)
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw malformedBundleError(file, `it cannot be read (${code})`)
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw malformedBundleError(file, 'it is not a file')
    // The size is checked before anything is read, and bounds what is read.
    if (stat.size > MAX_BYTES) {
      throw malformedBundleError(file, `it has ${stat.size} bytes, expected at most ${MAX_BYTES}`)
    }
    const bytes = Buffer.alloc(stat.size)
    const length = readSync(descriptor, bytes, 0, stat.size, 0)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}

export function malformedBundleError(file: string, problem: string): SkillsError {
  return new SkillsError(
    'signature/malformed',
    `The signatures "${file}" are not valid: ${problem}`,
    {
      hint: 'Fetch the file again, or ask its signer for another',
    },
  )
}
