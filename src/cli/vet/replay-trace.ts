import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { formatTrace, MAX_TRACE_BYTES, readTraceFile } from '../../core/trials/index.ts'
import type { Context } from '../context.ts'

/** Handles `--replay <file>`: prints a saved trace. Nothing is run. */
export function replayTrace(context: Context, file: string): void {
  const path = resolve(context.cwd, file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) {
    throw new SkillsError('file/not-found', `"${file}" is not a file`, {
      hint: 'Write a trace with: skills vet <source> --run --trace <file>',
    })
  }
  // Not read at all, because it would not fit.
  const isReadable = stat.size <= MAX_TRACE_BYTES
  context.print(
    formatTrace(readTraceFile(isReadable ? readFileSync(path, 'utf8') : undefined)).trimEnd(),
  )
}
