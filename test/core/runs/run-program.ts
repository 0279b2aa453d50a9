import { performRun } from '../../../src/core/runs/perform-run.ts'
import type { ProgramControls, ProgramJob } from '../../../src/core/runs/job.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn } from './run-python.ts'

export interface ProgramRun {
  data?: string
  settings?: Record<string, unknown>
  plan?: Partial<ProgramJob>
  call?: Partial<RunCall>
  /** Forks the run if these sandboxes can. */
  sandboxes?: Sandboxes
  /** Called while it runs. */
  during?: (controls: ProgramControls, output: () => string) => Promise<void>
}

/** Runs a program in a real sandbox, as every tool that runs one does. */
export async function runProgram(argv: readonly string[], run: ProgramRun = {}) {
  const data = run.data ?? createFolder()
  const runtime = await createRuntimeIn(data, run.settings, run.sandboxes)
  const output: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
  const text = (stream: 'stdout' | 'stderr') => Buffer.concat(output[stream]).toString('utf8')
  let during: Promise<void> | undefined
  const plan: ProgramJob = {
    kind: 'workspace',
    recordedArgs: { argv: [...argv] },
    stdin: 'none',
    skills: [],
    mountsSkills: false,
    folders: [],
    inputBlobs: [],
    sinks: {
      stdout: (chunk) => void output.stdout.push(chunk),
      stderr: (chunk) => void output.stderr.push(chunk),
    },
    onStarted: (controls) => {
      during = run.during?.(controls, () => text('stdout'))
    },
    ...run.plan,
    limits: { wallMs: 20_000, ...run.plan?.limits },
    program: { argv, cwd: '/workspace', env: {}, ...run.plan?.program },
  }
  const call = { cwd: data, env: { PATH: process.env['PATH'] }, ...run.call }
  const outcome = await performRun(runtime, plan, call)
  await during
  return { ...outcome, stdout: text('stdout'), stderr: text('stderr'), runtime, data }
}

/** Builds the argv of a shell command. */
export function buildShellArgv(command: string): readonly string[] {
  return ['/bin/sh', '-c', command]
}
