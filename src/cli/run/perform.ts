import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Manifest, PlainObject, SkillInput } from '../../core/manifest/manifest.ts'
import type { RunResult } from '../../core/run/result.ts'
import type { RunCall } from '../../core/run/run-call.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { BlobInfo } from '../../core/store/blob-store.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { flagOption, textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { showResult } from '../ui/run-result.ts'
import { openRunView } from '../ui/run-view.ts'
import { readArguments } from './arguments.ts'
import { checkTogether, readTimeout, settingsOf } from './options.ts'
import { readSecrets } from './secrets.ts'
import { openSources, type Sources } from './sources.ts'

/** What a run is given. */
export interface RunInput {
  args: PlainObject
  input_blobs: string[]
  timeout_ms: number | undefined
}

/** What is run, as it is on the disk at this moment. */
export interface RunTarget {
  /** What the spinner calls it. */
  label: string
  /** Every skill of the run. */
  skills: readonly Manifest[]
  /** Undefined for code, which declares nothing. */
  inputs: Readonly<Record<string, SkillInput>> | undefined
  /** The file that the code is from. */
  codeName?: string | undefined
  start(runtime: Runtime, input: RunInput, call: RunCall): Promise<RunResult>
}

/** How a command finds what it runs; a watched run asks again every time. */
export interface TargetFinder {
  /** What the command line calls it. */
  name: string
  /** The code itself is on standard input. */
  readsInput?: boolean
  find(sources: Sources): Promise<RunTarget>
  /** Files and folders that make it what it is. */
  places(): Promise<readonly string[]>
}

/** Runs once, or with --watch until Ctrl-C; answers with the exit code. */
export async function perform(context: Context, call: Call, finder: TargetFinder): Promise<number> {
  checkTogether(context, call, finder.readsInput === true)
  const sources = openSources(context)
  const keep = keepIn(context, call)
  if (!flagOption(call, 'watch')) {
    return await runOnce({ context, call, sources, keep }, finder, context.signal)
  }
  const { watchRuns } = await import('./watch.ts')
  return await watchRuns(context, finder, {
    isIgnored: (path) =>
      [textOption(call, 'out'), keep].some((each) => isWithin(context, path, each)),
    run: async (signal) => {
      const again = keep === undefined ? undefined : freshFolder(context, keep)
      return await runOnce({ context, call, sources, keep: again }, finder, signal)
    },
  })
}

interface Session {
  context: Context
  call: Call
  sources: Sources
  keep: string | undefined
}

async function runOnce(
  session: Session,
  finder: TargetFinder,
  signal: AbortSignal,
): Promise<number> {
  const { context, call, sources, keep } = session
  const out = textOption(call, 'out')
  const timeout = readTimeout(call)
  const target = await finder.find(sources)
  const runtime = await openRuntime(context, settingsOf(call))
  const { args, inputBlobs } = await readArguments(call, {
    runtime,
    sources,
    inputs: target.inputs,
  })
  const secrets = readSecrets(context, call, target.skills)
  if (out !== undefined) {
    const { makePlace } = await import('../../core/run/save-blobs.ts')
    await makePlace({ cwd: context.cwd, dir: out })
  }
  if (flagOption(call, 'allowNetwork') && !declaresNetwork(target)) {
    context.note('Nothing here declares a network: --allow-network changes nothing')
  }
  const blobs: BlobInfo[] = []
  const view = openRunView(context, target.label)
  let result: RunResult
  try {
    const input = { args, input_blobs: inputBlobs, timeout_ms: timeout }
    result = await target.start(runtime, input, {
      cwd: context.cwd,
      env: context.env,
      door: 'cli',
      signal,
      secrets,
      allowNetwork: flagOption(call, 'allowNetwork'),
      keepIn: keep === undefined ? undefined : resolve(context.cwd, keep),
      onEvent: (event) => {
        if (event.type === 'blob') blobs.push(event.blob)
        view.take(event)
      },
    })
  } finally {
    view.close()
  }
  return await present(session, { result, blobs, target, runtime })
}

function declaresNetwork({ skills }: RunTarget): boolean {
  return skills.some(({ permissions }) => permissions.network.length > 0)
}

async function present(
  { context, call, keep }: Session,
  ended: { result: RunResult; blobs: readonly BlobInfo[]; target: RunTarget; runtime: Runtime },
): Promise<number> {
  const { result, blobs, target, runtime } = ended
  const out = textOption(call, 'out')
  let saved: string[] | undefined
  let problem: SkillsError | undefined
  if (out !== undefined) {
    const { saveBlobs } = await import('../../core/run/save-blobs.ts')
    try {
      saved = await saveBlobs(await runtime.blobs(), result.output_blobs, {
        cwd: context.cwd,
        dir: out,
      })
    } catch (error) {
      problem = toSkillsError(error)
    }
  }
  if (context.global.quiet && result.isolation?.tier === 'none') {
    // The logs say so as well, but --quiet hides them.
    context.stderr.write('This run was NOT isolated\n')
  }
  const { codeName } = target
  const isKept = keep !== undefined && existsSync(resolve(context.cwd, keep))
  if (!context.global.json) showResult(context, result, { blobs, saved, codeName })
  else if (!problem) {
    const workspace = isKept ? { workspace: keep } : {}
    context.document('skills.run/v1', { ...result, ...(saved && { saved }), ...workspace })
  }
  // The run is over, and its blobs are in the store: its result must not be lost with the copies.
  if (problem) {
    const { code, message, hint, cause } = problem
    throw new SkillsError(code, message, { hint, cause, data: { run: result } })
  }
  return result.status === 'completed' ? 0 : 1
}

/** The folder of --keep; one that exists already is not touched. */
function keepIn(context: Context, call: Call): string | undefined {
  const { keep } = call.options
  if (keep === true) {
    const base = context.env['TMPDIR'] || tmpdir()
    return join(base, `skills-workspace-${randomBytes(4).toString('hex')}`)
  }
  if (typeof keep !== 'string') return undefined
  if (!existsSync(dirname(resolve(context.cwd, keep)))) {
    throw new SkillsError('file/not-found', `There is no folder "${dirname(keep)}"`, {
      hint: 'Make it first, or name another folder with --keep=<dir>',
    })
  }
  if (!existsSync(resolve(context.cwd, keep))) return keep
  throw new SkillsError('usage/invalid', `"${keep}" exists already: it is not overwritten`, {
    hint: 'Name a folder that is not there yet with --keep=<dir>',
  })
}

/** Whether a path is this folder, one of its numbered companions, or inside of one. */
function isWithin(context: Context, path: string, dir: string | undefined): boolean {
  if (dir === undefined) return false
  const base = resolve(context.cwd, dir)
  return (
    path === base || (path.startsWith(base) && /^(?:-\d+)?(?:\/|$)/.test(path.slice(base.length)))
  )
}

/** Each watched run keeps its own: `dir`, `dir-2`, `dir-3`. */
function freshFolder(context: Context, dir: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? dir : `${dir}-${number}`
    if (!existsSync(resolve(context.cwd, name))) return name
  }
}
