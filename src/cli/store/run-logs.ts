import { Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toPrintableLines } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { findRunOrHash } from './find-run-by-hash.ts'

/** `skills runs logs` on this machine. */
export async function showRunLogs(context: Context, call: CommandLine): Promise<number> {
  const runtime = await openRuntime(context)
  const id = await findRunOrHash(runtime, call.args[0] ?? '')
  const { openRunLogs } = await import('../../core/outputs/store/run-logs.ts')
  const source = await openRunLogs(runtime, id)
  if (context.global.json) {
    const chunks: Buffer[] = []
    for await (const chunk of source) chunks.push(chunk as Buffer)
    context.document('skills.run-logs/v1', {
      run_id: id,
      logs: Buffer.concat(chunks).toString('utf8'),
    })
    return 0
  }
  const { signal } = context
  const target = context.stdout as Writable
  if (context.stdout.isTTY === true) {
    await pipeline(source, createPrintableFilter(), target, { end: false, signal })
  } else await pipeline(source, target, { end: false, signal })
  return 0
}

/** Replaces control characters by their code. */
function createPrintableFilter(): Transform {
  const decoder = new TextDecoder()
  return new Transform({
    transform: (chunk: Buffer, _, done) =>
      done(null, toPrintableLines(decoder.decode(chunk, { stream: true }))),
  })
}
