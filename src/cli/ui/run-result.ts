import type { Plain } from '../../core/skills/manifest/manifest.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Context } from '../context.ts'
import type { CodeLocations } from '../../util/traceback/locate-frame.ts'

/** Details of a run besides its result. */
export interface ResultDetails {
  /** The whole output value. */
  output: Plain | undefined
  /** Blobs that the run created. */
  blobs: readonly BlobInfo[]
  /** Paths of saved blobs; undefined without --out. */
  saved: readonly string[] | undefined
  /** Locations of the code, which the sandbox does not know. */
  locations: CodeLocations
}

/** The output goes to standard output, everything else to standard error. */
export async function showRunResult(
  context: Context,
  result: RunResult,
  aftermath: ResultDetails,
): Promise<void> {
  if (result.status === 'failed') await showRunFailure(context, result, aftermath.locations)
  showRunBlobs(context, aftermath)
  if (result.status === 'failed') return
  const output = JSON.stringify(aftermath.output, null, 2)
  context.print(context.stdout.isTTY === true ? toPrintableLines(output) : output)
}

/** The cause and the remedy come first, then the location. */
async function showRunFailure(
  context: Context,
  { error, summary }: RunResult,
  locations: CodeLocations,
): Promise<void> {
  const { errorStyle: paint, stderr } = context
  const { replaceSandboxPaths } = await import('../../util/traceback/locate-frame.ts')
  const text = toPrintableLines(replaceSandboxPaths(summary, locations))
  stderr.write(`${paint.red('failed:')} ${text}\n`)
  if (error?.hint) stderr.write(`  ${paint.dim('→')} ${toPrintableLines(error.hint)}\n`)
  if (
    !error?.traceback ||
    context.global.quiet ||
    isRepeated(error.traceback, error.message) ||
    isOfAdapter(error.traceback)
  )
    return
  const { formatTraceback } = await import('../../util/traceback/format-traceback.ts')
  const lines = formatTraceback(error.traceback, locations)
  // Lines are not wrapped: marks below the code must stay in place.
  stderr.write(`${toPrintableLines(lines.join('\n'))}\n`)
}

/** True if only the adapter of an adopted skill failed: its error names what the caller can change. */
function isOfAdapter(traceback: string): boolean {
  const files = [...traceback.matchAll(/^ {2}File "([^"]+)"/gm)]
  return files.length > 0 && files.every(([, file]) => file?.endsWith('/code/adopted.py'))
}

/** True for a traceback without frames. */
function isRepeated(traceback: string, message: string): boolean {
  const text = traceback.trim()
  return !text.includes('\n') && message !== '' && text.endsWith(message)
}

function showRunBlobs(context: Context, { blobs, saved }: ResultDetails): void {
  for (const [at, { id, kind, size }] of blobs.entries()) {
    const file = saved?.[at]
    const details = `${toPrintable(kind)}, ${formatBytes(size)}`
    context.note(file === undefined ? `Created ${id} (${details})` : `Saved ${file} (${details})`)
  }
}
