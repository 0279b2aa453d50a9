import { resolve } from 'node:path'
import type { Manifest, PlainObject, SkillInput } from '../../core/skills/manifest/manifest.ts'
import type { FunctionJob } from '../../core/runs/job.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { RunEvent } from '../../core/runs/run-call.ts'
import type { LogLevel } from '../../core/runs/run-events.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import type { CallIo } from '../../runtime-handle/handle.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { checkRemoteOptions, readRemoteTarget } from '../access/remote-options.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRunView } from '../ui/run-view.ts'
import { readRunArguments } from './arguments.ts'
import { presentDetached, readDetach } from './detach.ts'
import { checkDryRun, showDryRun, UNSTORED_BLOB } from './dry-run.ts'
import { chooseKeepDirectory, isRunOutput, readKeepDirectory } from './keep-directory.ts'
import {
  checkOptionCombinations,
  readLogLevel,
  readRunSettings,
  readRunTimeout,
} from './options.ts'
import type { DebugMode } from './debug-options.ts'
import { createStopwatch, readRepetitions, repeatRuns } from './repeat-runs.ts'
import { openRunPrompts, type RunPrompts } from './run-prompts.ts'
import { presentRun } from './present-run.ts'
import { readSecrets } from './secrets.ts'
import { openSources, type Sources } from './sources.ts'

/** Input of a run. */
export interface RunInput {
  args: PlainObject
  input_blobs: string[]
  timeout_ms: number | undefined
  detach?: true | undefined
}

/** The code to run, as it currently is on disk. */
export interface RunTarget {
  /** Label of the spinner. */
  label: string
  /** Skills of the run. */
  skills: readonly Manifest[]
  /** Folders of the skills by name; empty texts for those of another machine. */
  folders: ReadonlyMap<string, string>
  /** Undefined for code, which declares none. */
  inputs: Readonly<Record<string, SkillInput>> | undefined
  /** True if arguments that `inputs` does not declare are passed on. */
  isOpen: boolean
  /** File of the code. */
  codeName?: string | undefined
  start(input: RunInput, io: CallIo): Promise<RunResult>
  /** Builds the job of a run that is only planned. */
  createJob(runtime: Runtime, input: RunInput): Promise<FunctionJob>
}

/** Finds the target of a command; a watched run calls it before every run. */
export interface TargetFinder {
  /** Name on the command line. */
  name: string
  /** True if the code is read from standard input. */
  readsInput?: boolean
  /** How the user takes part in the run. */
  debug?: DebugMode | undefined
  find(handle: CommandHandle, sources: Sources): Promise<RunTarget>
  /** Files and folders that the target depends on. */
  listPaths(): Promise<readonly string[]>
}

/** Runs once, or until Ctrl-C with --watch; returns the exit code. */
export async function performTarget(
  context: Context,
  call: CommandLine,
  finder: TargetFinder,
): Promise<number> {
  checkRemoteOptions(call, readRemoteTarget(context, call))
  checkOptionCombinations(context, call, finder.readsInput === true)
  checkDryRun(context, call)
  const isDetached = readDetach(call)
  const sources = openSources(context)
  const keep = readKeepDirectory(context, call)
  const repetitions = readRepetitions(call)
  const prompts = openRunPrompts(context, call)
  if (!getFlagOption(call, 'watch')) {
    return await runTargetOnce(
      { context, call, sources, prompts, keep, repetitions, isDetached },
      finder,
      context.signal,
    )
  }
  const { watchRuns } = await import('./watch-runs.ts')
  return await watchRuns(context, finder, {
    isIgnored: (path) => isRunOutput(context, path, { keep, out: getTextOption(call, 'out') }),
    run: async (signal) => {
      const again = keep === undefined ? undefined : chooseKeepDirectory(context, keep)
      return await runTargetOnce({ context, call, sources, prompts, keep: again }, finder, signal)
    },
  })
}

interface CommandRun {
  context: Context
  prompts: RunPrompts | undefined
  repetitions?: number | undefined
  isDetached?: boolean
  call: CommandLine
  sources: Sources
  keep: string | undefined
}

async function runTargetOnce(
  session: CommandRun,
  finder: TargetFinder,
  signal: AbortSignal,
): Promise<number> {
  const { context, call, sources, prompts } = session
  const { debug } = finder
  const out = getTextOption(call, 'out')
  const timeout = readRunTimeout(call)
  const settings = readRunSettings(call)
  const handle = await openHandle(context, call, { settings, takesReferences: true })
  const target = await finder.find(handle, sources)
  const { args, inputBlobs } = await readRunArguments(call, {
    handle,
    sources: getFlagOption(call, 'dryRun')
      ? { ...sources, storeBlob: async () => UNSTORED_BLOB }
      : sources,
    inputs: target.inputs,
    isOpen: target.isOpen,
    prompts,
  })
  if (debug) await checkLanguages(debug, target)
  const isDry = getFlagOption(call, 'dryRun')
  const input = { args, input_blobs: inputBlobs, timeout_ms: timeout }
  const secrets = await readSecrets(context, call, {
    skills: target.skills,
    // Code does not get the secrets of the skills that it mounts.
    asksDeclared: target.inputs !== undefined,
    prompts,
  })
  const grants = { secrets, allowNetwork: getFlagOption(call, 'allowNetwork') }
  if (isDry) {
    const createJob = async (runtime: Runtime) => await target.createJob(runtime, input)
    return await showDryRun(context, call, { createJob, grants })
  }
  if (out !== undefined) {
    const { createBlobFolder } = await import('../../core/runs/protocol/save-blobs.ts')
    await createBlobFolder({ cwd: context.cwd, dir: out })
  }
  if (grants.allowNetwork && !declaresNetwork(target)) {
    context.note('--allow-network has no effect: no skill of the run declares a network')
  }
  const planned = { handle, target, input, debug, io: { signal, grants } }
  if (session.isDetached === true) {
    return presentDetached(context, await target.start({ ...input, detach: true }, planned.io))
  }
  if (session.repetitions === undefined) return await runAndPresent(session, planned)
  return await repeatRuns(context, session.repetitions, async () => {
    const stopwatch = createStopwatch()
    const onEvent = (event: RunEvent) => stopwatch.onEvent(event)
    return stopwatch.finish(await target.start(input, { ...planned.io, onEvent }))
  })
}

/** A run whose inputs are complete. */
interface PlannedRun {
  handle: CommandHandle
  target: RunTarget
  input: RunInput
  io: CallIo
  debug: DebugMode | undefined
}

async function runAndPresent(session: CommandRun, run: PlannedRun): Promise<number> {
  const { context, call, keep } = session
  const { handle, target, input, debug } = run
  const blobs: BlobInfo[] = []
  const logLevel = readLogLevel(call)
  const { view, io } = await openConnection(context, target, {
    debug,
    signal: run.io.signal ?? context.signal,
    logLevel,
  })
  let result: RunResult
  try {
    result = await target.start(input, {
      ...run.io,
      ...io,
      keepIn: keep === undefined ? undefined : resolve(context.cwd, keep),
      onEvent: (event) => {
        if (event.type === 'blob') blobs.push(event.blob)
        view.onEvent(event)
      },
    })
  } finally {
    await view.close()
  }
  if (debug?.kind === 'repl' && result.status === 'completed') return 0
  const locations = { cwd: context.cwd, folders: target.folders, codeName: target.codeName }
  const out = getTextOption(call, 'out')
  return await presentRun(context, { handle, result, blobs, locations, out, keep })
}

async function checkLanguages(debug: DebugMode, { skills }: RunTarget): Promise<void> {
  const { checkDebugLanguage } = await import('./debug-options.ts')
  for (const skill of skills) checkDebugLanguage(debug, skill)
}

interface RunConnection {
  view: { onEvent(event: RunEvent): void; close(): void | Promise<void> }
  io: Pick<CallIo, 'signal' | 'interactive' | 'inspect'>
}

/** Shows the progress of a run, or connects the user to it. */
async function openConnection(
  context: Context,
  { label }: RunTarget,
  {
    debug,
    signal,
    logLevel,
  }: { debug: DebugMode | undefined; signal: AbortSignal; logLevel: LogLevel | undefined },
): Promise<RunConnection> {
  if (debug === undefined) return { view: openRunView(context, label, logLevel), io: { signal } }
  if (debug.kind === 'inspect') {
    const io = { signal, inspect: { port: debug.port } }
    return { view: openRunView(context, label, logLevel), io }
  }
  context.handleInterruption?.()
  const stopped = new AbortController()
  const { attachRun } = await import('./attach-run.ts')
  const attached = attachRun(context, debug.kind, () => stopped.abort())
  const { interactive } = attached
  const io = { signal: AbortSignal.any([signal, stopped.signal]), interactive }
  const view = {
    onEvent: (event: RunEvent) => attached.onEvent(event),
    close: async () => await attached.finish(),
  }
  return { view, io }
}

function declaresNetwork({ skills }: RunTarget): boolean {
  return skills.some(({ permissions }) => permissions.network.length > 0)
}
