import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Sandboxes } from '../../core/sandbox/sandboxes.ts'
import { formatTraceFile, runTrials, type TrialReport } from '../../core/trials/index.ts'
import { toPrintable } from '../../util/printable.ts'
import { type CommandLine, getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { startSpinner } from '../ui/spinner.ts'

/** Handles `--run`, with `--only`, `--variant` and `--trace`; `source` is the skill as the user named it. */
export async function runVetTrials(
  context: Context,
  call: CommandLine,
  { folder, source }: { folder: string; source: string },
): Promise<TrialReport> {
  const { config } = await openConfig(context)
  const { backend, container, python } = config.run
  const sandboxes = context.sandboxes ?? new Sandboxes({ backend, python })
  const spinner = startSpinner(context, 'Starting')
  try {
    const report = await runTrials(folder, {
      sandboxes,
      backend,
      container,
      python,
      env: context.env,
      signal: context.signal,
      name: source,
      only: { subject: getTextOption(call, 'only'), variant: getTextOption(call, 'variant') },
      onProgress: ({ subject, variant, done, total }) =>
        spinner?.setProgress({ done, total, message: toPrintable(`${subject} (${variant})`) }),
    })
    const file = getTextOption(call, 'trace')
    if (file !== undefined) writeFileSync(resolve(context.cwd, file), formatTraceFile(report))
    return report
  } finally {
    spinner?.stop()
    if (!context.sandboxes) await sandboxes.stop()
  }
}
