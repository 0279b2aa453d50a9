import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import type { ReadRunLogsResult } from '../../core/methods/runs/definition.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintableLines } from '../../util/printable.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

const PAUSE_MS = 300
const PART_BYTES = 256 * 1024

/** `skills runs logs` of a remote run, from an offset, or until the run ends. */
export async function readLogsByOffset(context: Context, call: CommandLine): Promise<number> {
  const offset = readOffset(call)
  const isFollowing = getFlagOption(call, 'follow')
  if (isFollowing && context.global.json) {
    throw new SkillsError('usage/invalid', '--follow cannot be combined with --json', {
      hint: 'Read parts with --offset',
    })
  }
  const handle = await openHandle(context, call)
  const id = await handle.completeId('run', call.args[0] ?? '')
  if (context.global.json) {
    const isPart = getTextOption(call, 'offset') !== undefined
    const document = isPart ? await readPart(handle, id, offset) : await readAllParts(handle, id)
    context.document('skills.run-logs/v1', document)
    return 0
  }
  await printParts(context, { handle, id, offset, isFollowing })
  return 0
}

/** The document of local logs. */
async function readAllParts(
  handle: CommandHandle,
  id: string,
): Promise<{ run_id: string; logs: string }> {
  const chunks: Buffer[] = []
  for (let offset = 0; ;) {
    const part = await readPart(handle, id, offset)
    chunks.push(Buffer.from(part.logs, part.encoding ?? 'utf8'))
    if (!part.more || part.next_offset === offset) break
    offset = part.next_offset
  }
  return { run_id: id, logs: Buffer.concat(chunks).toString('utf8') }
}

async function printParts(
  context: Context,
  read: { handle: CommandHandle; id: string; offset: number; isFollowing: boolean },
): Promise<void> {
  const { handle, id, isFollowing } = read
  const write = createLogWriter(context)
  for (let { offset } = read; !context.signal.aborted;) {
    const part = await readPart(handle, id, offset)
    await write(part)
    if (!part.more) return
    if (part.next_offset === offset) {
      if (!isFollowing) return
      await sleep(PAUSE_MS, undefined, { signal: context.signal }).catch(() => {})
    }
    offset = part.next_offset
  }
}

async function readPart(
  handle: CommandHandle,
  id: string,
  offset: number,
): Promise<ReadRunLogsResult> {
  return await handle.call('runs', { action: 'logs', run_id: id, offset, max_bytes: PART_BYTES })
}

/** Writes bytes unchanged, except to a terminal. */
function createLogWriter({ stdout }: Context) {
  const decoder = new TextDecoder()
  return async ({ logs, encoding }: ReadRunLogsResult): Promise<void> => {
    const bytes = Buffer.from(logs, encoding ?? 'utf8')
    if (bytes.length === 0) return
    const isTerminal = stdout.isTTY === true
    const text = isTerminal ? toPrintableLines(decoder.decode(bytes, { stream: true })) : bytes
    if (!stdout.write(text)) await once(stdout as NodeJS.EventEmitter, 'drain')
  }
}

function readOffset(call: CommandLine): number {
  const text = getTextOption(call, 'offset')
  if (text === undefined) return 0
  const offset = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset
  throw new SkillsError('usage/invalid', `Expected a number of bytes for --offset, got "${text}"`, {
    hint: 'Write it as --offset 4096',
  })
}
