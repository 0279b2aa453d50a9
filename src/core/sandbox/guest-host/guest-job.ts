import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { SandboxProgram, SandboxRequest } from '../backend.ts'
import type { GuestLimits } from './guest-limits.ts'

/** Where a run finds what is its own. */
export interface GuestFolders {
  skills: string
  blobs: string
  workspace: string
  tmp: string
}

/** Inside of a sandbox, the folders of every run have the same names. */
export const GUEST_FOLDERS: GuestFolders = {
  skills: '/skills',
  blobs: '/blobs',
  workspace: '/workspace',
  tmp: '/tmp',
}

/** What a backend adds to the job. */
export interface GuestEnvironment {
  folders: GuestFolders
  /** Where packages are installed; null where the guest's interpreter has to say it. */
  packages: readonly string[] | null
  limits: GuestLimits
}

/** The job as the guest reads it. */
export function buildGuestJob(request: SandboxRequest, around: GuestEnvironment): PlainObject {
  const { job, program } = request
  if (program) return { ...buildProgramJob(program), limits: around.limits.values }
  return {
    ...job,
    folders: { ...around.folders },
    paths: around.packages && [...around.packages],
    limits: around.limits.values,
  }
}

/** A program needs nothing of the harness; one with a terminal reads by it. */
function buildProgramJob({
  argv,
  cwd,
  prepare,
  env,
  stdin,
  terminal,
}: SandboxProgram): PlainObject {
  return {
    argv: [...argv],
    cwd,
    make: prepare ? [...prepare.folders] : [],
    write: prepare ? prepare.files.map(({ path, text, isProgram }) => [path, text, isProgram]) : [],
    env: { ...env },
    stdin: stdin === 'pipe',
    terminal: terminal ? [terminal.columns, terminal.rows] : null,
  }
}

/** The guest's own input: what somebody can write to, for a program that reads. */
export function chooseStdin({ program }: Pick<SandboxRequest, 'program'>): 'pipe' | 'ignore' {
  return program && (program.stdin === 'pipe' || program.terminal) ? 'pipe' : 'ignore'
}
