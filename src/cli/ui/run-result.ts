import type { Plain } from '../../core/skills/manifest/manifest.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Context } from '../context.ts'

/** Details of a run besides its result. */
export interface ResultDetails {
  /** The whole output value. */
  output: Plain | undefined
  /** Blobs that the run created. */
  blobs: readonly BlobInfo[]
  /** Paths of saved blobs; undefined without --out. */
  saved: readonly string[] | undefined
  /** Name of the code in messages; the sandbox does not know it. */
  codeName: string | undefined
}

/** The output goes to standard output, everything else to standard error. */
export function showRunResult(context: Context, result: RunResult, aftermath: ResultDetails): void {
  if (result.status === 'failed') showRunFailure(context, result, aftermath.codeName)
  showRunBlobs(context, aftermath)
  if (result.status === 'failed') return
  const output = JSON.stringify(aftermath.output, null, 2)
  context.print(context.stdout.isTTY === true ? toPrintableLines(output) : output)
}

function showRunFailure(context: Context, { error, summary }: RunResult, codeName?: string): void {
  const { errorStyle: paint, stderr } = context
  if (error?.traceback)
    context.note(toPrintableLines(replaceCodeName(error.traceback.trimEnd(), codeName)))
  stderr.write(`${paint.red('failed:')} ${toPrintableLines(replaceCodeName(summary, codeName))}\n`)
  if (error?.hint) stderr.write(`${paint.dim('hint:')} ${toPrintableLines(error.hint)}\n`)
}

function replaceCodeName(text: string, codeName: string | undefined): string {
  return codeName === undefined ? text : text.replaceAll('File "<code>"', `File "${codeName}"`)
}

function showRunBlobs(context: Context, { blobs, saved }: ResultDetails): void {
  for (const [at, { id, kind, size }] of blobs.entries()) {
    const file = saved?.[at]
    const details = `${toPrintable(kind)}, ${formatBytes(size)}`
    context.note(file === undefined ? `Created ${id} (${details})` : `Saved ${file} (${details})`)
  }
}
