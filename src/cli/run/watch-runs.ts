import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { reportError } from '../ui/report-error.ts'
import { diffStamps, stampFolders, type Stamps } from './folder-stamps.ts'

/**
 * Polling interval. File system events miss replaced files and mounted folders, so names and times
 * are compared.
 */
const POLL_MS = 250
/** The pause lasts at least this many times as long as the last scan. */
const PAUSE_PER_SCAN = 20
/** Time without changes after which a save is complete. */
const QUIET_MS = 120

const EXIT_INTERRUPTED = 130

export interface RunWatchOptions {
  /** Runs once; aborted when a file changes. */
  run: (signal: AbortSignal) => Promise<number>
  /** True for paths that the runs write themselves. */
  isIgnored: (path: string) => boolean
  /** Stamps of the watched files; by default, of everything below the target's paths. */
  scan?: () => Stamps
}

interface RunWatchTarget {
  name: string
  listPaths(): Promise<readonly string[]>
}

/** Runs immediately and after every change, until interrupted. */
export async function watchRuns(
  context: Context,
  watched: RunWatchTarget,
  options: RunWatchOptions,
): Promise<number> {
  let paths = await watched.listPaths()
  if (paths.length === 0) throw nothingToWatchError()
  for (let isFirst = true; !context.signal.aborted; isFirst = false) {
    const scan = options.scan ?? (() => stampFolders(paths, options.isIgnored))
    await runUntilChange(context, { watched, options, look: scan, isFirst })
    // If the skill cannot be found, keeps watching its last location.
    paths = await watched.listPaths().catch(() => paths)
  }
  // Ends the line on which the terminal echoed ^C.
  if (context.stderr.isTTY === true) context.stderr.write('\n')
  return EXIT_INTERRUPTED
}

interface WatchRound {
  watched: RunWatchTarget
  options: RunWatchOptions
  look: () => Stamps
  isFirst: boolean
}

/** Runs once and waits for the next change, which also aborts the run. */
async function runUntilChange(context: Context, round: WatchRound): Promise<void> {
  const { watched, options, look: scan, isFirst } = round
  const before = scan()
  const [run, wait] = [new AbortController(), new AbortController()]
  const signal = AbortSignal.any([context.signal, run.signal])
  let isRunning = true
  const attempt = async () => {
    await runReportingFailure(context, options.run, { signal, isFirst })
    isRunning = false
    if (signal.aborted) return
    context.note(context.errorStyle.dim(`Watching ${toPrintable(watched.name)}; Ctrl-C ends`))
  }
  const ended = attempt()
  try {
    const change = waitForChange(before, scan, AbortSignal.any([context.signal, wait.signal]))
    const changed = await Promise.race([change, rejectWith(ended)])
    if (changed.length > 0) announceChanges(context, changed, isRunning)
    run.abort()
    await ended
  } finally {
    wait.abort()
  }
}

/** Runs once and reports a failure. A usage error in the first run ends the watch. */
async function runReportingFailure(
  context: Context,
  run: RunWatchOptions['run'],
  { signal, isFirst }: { signal: AbortSignal; isFirst: boolean },
): Promise<void> {
  try {
    await run(signal)
  } catch (thrown) {
    if (signal.aborted) return
    const error = toSkillsError(thrown)
    if (isFirst && !isSkillError(error)) throw error
    reportError(error, context, context.global)
  }
}

function nothingToWatchError(): SkillsError {
  return new SkillsError('usage/invalid', '--watch has no files to watch', {
    hint: 'Pass the code as a file, or mount a skill',
  })
}

function isSkillError({ code }: SkillsError): boolean {
  return code === 'skill/invalid' || code === 'skill/not-executable'
}

/** Never resolves; rejects if the promise rejects. */
async function rejectWith(promise: Promise<void>): Promise<never> {
  await promise
  return await new Promise<never>(() => {})
}

/** Waits until files changed and settled; empty if aborted. */
async function waitForChange(
  before: Stamps,
  scan: () => Stamps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let pause = POLL_MS
  try {
    for (;;) {
      await sleep(pause, undefined, { signal })
      const startedAt = performance.now()
      let state = scan()
      pause = Math.max(POLL_MS, (performance.now() - startedAt) * PAUSE_PER_SCAN)
      if (diffStamps(before, state).length === 0) continue
      for (let last: Stamps | undefined; !last || diffStamps(last, state).length > 0;) {
        last = state
        await sleep(QUIET_MS, undefined, { signal })
        state = scan()
      }
      const changed = diffStamps(before, state)
      if (changed.length > 0) return changed
    }
  } catch (error) {
    if (signal.aborted) return []
    throw error
  }
}

const MAX_SHOWN_PATHS = 3

function announceChanges(context: Context, changed: readonly string[], wasRunning: boolean): void {
  const names = changed
    .slice(0, MAX_SHOWN_PATHS)
    .map((path) => toPrintable(relative(context.cwd, path)))
  const more =
    changed.length > MAX_SHOWN_PATHS ? ` and ${changed.length - MAX_SHOWN_PATHS} more` : ''
  const cancelled = wasRunning ? '; the run was cancelled' : ''
  context.note(context.errorStyle.cyan(`Changed: ${names.join(', ')}${more}${cancelled}`))
}
