import { resolve } from 'node:path'
import type { Manifest, PlainObject, SkillInput } from '../../core/skills/manifest/manifest.ts'
import type { RunResult } from '../../core/runs/result.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import type { CallIo } from '../../runtime-handle/handle.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { checkRemote, remotePlace } from '../access/remote-options.ts'
import { flagOption, textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRunView } from '../ui/run-view.ts'
import { readArguments } from './arguments.ts'
import { freshFolder, isOwnOutput, keepIn } from './keep.ts'
import { checkTogether, readTimeout, settingsOf } from './options.ts'
import { present } from './present.ts'
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
  start(input: RunInput, io: CallIo): Promise<RunResult>
}

/** How a command finds what it runs; a watched run asks again every time. */
export interface TargetFinder {
  /** What the command line calls it. */
  name: string
  /** The code itself is on standard input. */
  readsInput?: boolean
  find(handle: CommandHandle, sources: Sources): Promise<RunTarget>
  /** Files and folders that make it what it is. */
  places(): Promise<readonly string[]>
}

/** Runs once, or with --watch until Ctrl-C; answers with the exit code. */
export async function perform(context: Context, call: Call, finder: TargetFinder): Promise<number> {
  checkRemote(call, remotePlace(context, call))
  checkTogether(context, call, finder.readsInput === true)
  const sources = openSources(context)
  const keep = keepIn(context, call)
  if (!flagOption(call, 'watch')) {
    return await runOnce({ context, call, sources, keep }, finder, context.signal)
  }
  const { watchRuns } = await import('./watch.ts')
  return await watchRuns(context, finder, {
    isIgnored: (path) => isOwnOutput(context, path, { keep, out: textOption(call, 'out') }),
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
  const settings = settingsOf(call)
  const handle = await openHandle(context, call, { settings, takesReferences: true })
  const target = await finder.find(handle, sources)
  const { args, inputBlobs } = await readArguments(call, {
    handle,
    sources,
    inputs: target.inputs,
  })
  const secrets = readSecrets(context, call, target.skills)
  if (out !== undefined) {
    const { createBlobFolder } = await import('../../core/runs/protocol/save-blobs.ts')
    await createBlobFolder({ cwd: context.cwd, dir: out })
  }
  if (flagOption(call, 'allowNetwork') && !declaresNetwork(target)) {
    context.note('Nothing here declares a network: --allow-network changes nothing')
  }
  const blobs: BlobInfo[] = []
  const view = openRunView(context, target.label)
  let result: RunResult
  try {
    const input = { args, input_blobs: inputBlobs, timeout_ms: timeout }
    result = await target.start(input, {
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
  return await present(context, { handle, result, blobs, codeName: target.codeName, out, keep })
}

function declaresNetwork({ skills }: RunTarget): boolean {
  return skills.some(({ permissions }) => permissions.network.length > 0)
}
