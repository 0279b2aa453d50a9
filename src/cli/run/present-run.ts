import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plain } from '../../core/skills/manifest/manifest.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'
import type { Context } from '../context.ts'
import { showRunResult } from '../ui/run-result.ts'
import type { CodeLocations } from '../../util/traceback/locate-frame.ts'
import { readWholeOutput } from './whole-output.ts'

/** A finished run and the requested output options. */
export interface PresentedRun {
  handle: RuntimeHandle
  result: RunResult
  /** Blobs that the run created. */
  blobs: readonly BlobInfo[]
  /** Locations of the code, for tracebacks. */
  locations: CodeLocations
  /** Folders of --out and --keep. */
  out: string | undefined
  keep: string | undefined
}

/** Saves blobs and shows the result; returns the exit code. */
export async function presentRun(context: Context, ended: PresentedRun): Promise<number> {
  const { result, blobs, locations } = ended
  const { saved, problem: copying } = await saveOutputBlobs(context, ended)
  if (context.global.quiet && result.isolation?.tier === 'none') {
    // The logs also report this, but --quiet hides them.
    context.stderr.write('This run was NOT isolated\n')
  }
  const { output, problem: reading } = context.global.json ? {} : await resolveOutput(ended)
  if (!context.global.json) {
    await showRunResult(context, result, { output, blobs, saved, locations })
  }
  const problem = copying ?? reading
  // The run is over and its blobs are stored: a failed copy must not lose the result.
  if (problem) {
    const { code, message, hint, cause } = problem
    throw new SkillsError(code, message, { hint, cause, data: { run: result } })
  }
  if (context.global.json) {
    const workspace = findKeptWorkspace(context, ended.keep)
    context.document('skills.run/v1', {
      ...result,
      ...(saved && { saved }),
      ...(workspace !== undefined && { workspace }),
    })
  }
  return result.status === 'completed' ? 0 : 1
}

/** Resolves an output stored as a blob; if the store fails, the reference is shown. */
async function resolveOutput({
  handle,
  result,
}: PresentedRun): Promise<{ output?: Plain | undefined; problem?: SkillsError }> {
  try {
    return { output: await readWholeOutput(handle.blobs, result) }
  } catch (error) {
    return { output: result.output, problem: toSkillsError(error) }
  }
}

async function saveOutputBlobs(
  context: Context,
  { handle, result, out }: PresentedRun,
): Promise<{ saved?: string[]; problem?: SkillsError }> {
  if (out === undefined) return {}
  try {
    const { saveBlobs } = await import('../../core/runs/protocol/save-blobs.ts')
    const location = { cwd: context.cwd, dir: out, signal: context.signal }
    return { saved: await saveBlobs(handle.blobs, result.output_blobs, location) }
  } catch (error) {
    return { problem: toSkillsError(error) }
  }
}

function findKeptWorkspace(context: Context, keep: string | undefined): string | undefined {
  return keep !== undefined && existsSync(resolve(context.cwd, keep)) ? keep : undefined
}
