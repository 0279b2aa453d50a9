import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { requireMimeType } from '../../core/methods/create-blob/handler.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { BlobSummary, RuntimeHandle } from '../../runtime-handle/handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { isRisky } from '../ui/is-risky.ts'
import { toBlobRecord } from './blob-record.ts'
import { storeInputFile } from './store-input.ts'

/** `skills blobs put`: stores a file as a blob. */
export async function putBlob(context: Context, call: CommandLine): Promise<number> {
  const { blobs } = await openHandle(context, call)
  const kind = getTextOption(call, 'kind')
  if (kind !== undefined) checkKindOption(kind)
  const blob = await storeInputFile(context, blobs, { file: call.args[0] ?? '', kind })
  if (context.global.json) {
    context.document('skills.blob/v1', { blob: toBlobRecord(blob) })
  } else {
    context.print(blob.id)
    context.note(`${formatBytes(blob.size)}, ${blob.kind}`)
  }
  return 0
}

/** `skills blobs get`: writes the bytes to standard output or to a file. */
export async function getBlob(context: Context, call: CommandLine): Promise<number> {
  const handle = await openHandle(context, call)
  const { blobs } = handle
  const named = getTextOption(call, 'out')
  const out = named === '-' ? undefined : named
  if (named === undefined && getFlagOption(call, 'force')) {
    throw new SkillsError('usage/invalid', '--force requires --out', {
      hint: 'Add a file with --out',
    })
  }
  const blob = await blobs.info(await handle.completeId('blob', call.args[0] ?? ''))
  if (out !== undefined) return await saveBlob(context, call, { handle, blob, out })
  if (context.global.json) return await showBlob(context, handle, blob)
  if (context.stdout.isTTY === true) await checkTerminalContent(handle, blob)
  const { signal } = context
  await pipeline(await blobs.read(blob.id), context.stdout as Writable, { end: false, signal })
  return 0
}

interface BlobSaveRequest {
  handle: RuntimeHandle
  blob: BlobSummary
  out: string
}

async function saveBlob(
  context: Context,
  call: CommandLine,
  { handle, blob, out }: BlobSaveRequest,
) {
  const path = resolve(context.cwd, out)
  const content = await handle.blobs.read(blob.id)
  const flags = getFlagOption(call, 'force') ? 'w' : 'wx'
  try {
    await pipeline(content, createWriteStream(path, { flags }), { signal: context.signal })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new SkillsError('usage/invalid', `"${out}" already exists and is not overwritten`, {
        hint: 'Add --force, or use another file with --out',
      })
    }
    // A partial file is removed.
    if (context.signal.aborted || code === 'ENOSPC') await rm(path, { force: true })
    if (context.signal.aborted || code === 'ENOSPC' || code === undefined)
      throw toSkillsError(error)
    throw new SkillsError('store/unavailable', `Cannot write "${out}" (${code})`, {
      hint: 'Use another file with --out',
      cause: error,
    })
  }
  if (context.global.json) {
    context.document('skills.blob/v1', { blob: toBlobRecord(blob), saved: out })
  } else context.note(`Saved ${out} (${formatBytes(blob.size)})`)
  return 0
}

/** A JSON document with the content, if it is small enough. */
async function showBlob(
  context: Context,
  handle: RuntimeHandle,
  blob: BlobSummary,
): Promise<number> {
  const { content, encoding } = await readWholeBlob(handle, blob)
  context.document('skills.blob/v1', {
    blob: toBlobRecord(blob),
    ...(encoding && { encoding }),
    content,
  })
  return 0
}

async function checkTerminalContent(handle: RuntimeHandle, blob: BlobSummary): Promise<void> {
  const { content, encoding } = await readWholeBlob(handle, blob)
  if (encoding === undefined && !isRisky(content)) return
  throw new SkillsError(
    'usage/invalid',
    'The blob is not plain text and could change the state of the terminal',
    {
      hint: `Save it: skills blobs get ${blob.id} --out file`,
    },
  )
}

async function readWholeBlob(handle: RuntimeHandle, { id }: BlobSummary) {
  try {
    return await handle.call('read_blob', { blob_id: id, mode: 'full' })
  } catch (error) {
    if (!(error instanceof SkillsError) || error.code !== 'blob/too-large') throw error
    const { code, message, data } = error
    throw new SkillsError(code, message, {
      data,
      hint: `Save it: skills blobs get ${id} --out file`,
    })
  }
}

function checkKindOption(kind: string): void {
  try {
    requireMimeType(kind)
  } catch {
    throw new SkillsError('usage/invalid', `Expected a MIME type for --kind, got "${kind}"`, {
      hint: 'Write it as --kind text/csv',
    })
  }
}
