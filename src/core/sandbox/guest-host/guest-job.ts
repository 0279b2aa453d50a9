import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ProgramFile, SandboxGuest, SandboxProgram, SandboxRequest } from '../backend.ts'
import type { GuestLimits } from './guest-limits.ts'
import { PYTHON_FLAGS } from './python-flags.ts'

/** Main file of a kernel's interpreter, as a path inside. */
const KERNEL_FILE = '/guest/kernel_main.py'

/** Paths of the folders of a run. */
export interface GuestFolders {
  skills: string
  blobs: string
  workspace: string
  tmp: string
}

/** Paths inside a sandbox, equal for every run. */
export const GUEST_FOLDERS: GuestFolders = {
  skills: '/skills',
  blobs: '/blobs',
  workspace: '/workspace',
  tmp: '/tmp',
}

/** Values that a backend adds to the job. */
export interface GuestEnvironment {
  folders: GuestFolders
  /** Folders of installed packages; null if the guest's interpreter must find them. */
  packages: readonly string[] | null
  limits: GuestLimits
}

/** Builds the job that the guest reads. */
export function buildGuestJob(request: SandboxRequest, environment: GuestEnvironment): PlainObject {
  const { guest } = request
  const { values, filter } = environment.limits
  const limits = { limits: values, ...(filter && { filter: filter.toString('hex') }) }
  if (guest.kind === 'program') return { ...buildProgramJob(guest.program), ...limits }
  const harness = {
    ...getHarnessJob(guest),
    folders: { ...environment.folders },
    paths: environment.packages && [...environment.packages],
  }
  if (guest.kind === 'commands') {
    const kernel = guest.kernel && { ...harness, python: [...PYTHON_FLAGS, KERNEL_FILE] }
    return { commands: true, ...(kernel && { kernel }), ...limits }
  }
  const { input } = guest
  return {
    ...harness,
    ...limits,
    ...(input && { stdin: true, terminal: formatTerminal(input.terminal) }),
  }
}

/** Returns the job of the harness; undefined for programs, which do not use it. */
export function getHarnessJob(guest: SandboxGuest): PlainObject | undefined {
  if (guest.kind === 'program') return undefined
  return guest.kind === 'function' ? guest.job : guest.kernel
}

function formatTerminal(terminal: SandboxProgram['terminal']): [number, number] | null {
  return terminal ? [terminal.columns, terminal.rows] : null
}

/**
 * Builds the job of a program, which does not use the harness. A terminal also carries its input.
 */
export function buildProgramJob({
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
    write: prepare ? prepare.files.map(toGuestFile) : [],
    env: { ...env },
    stdin: stdin === 'pipe',
    terminal: formatTerminal(terminal),
  }
}

/** A file as the guest creates it. */
export function toGuestFile({
  path,
  text,
  isProgram,
  encoding,
}: ProgramFile): [string, string, boolean, boolean] {
  return [path, text, isProgram, encoding === 'base64']
}

/** Chooses the guest's stdin: a pipe only if the program reads input. */
export function chooseStdin({ guest }: Pick<SandboxRequest, 'guest'>): 'pipe' | 'ignore' {
  if (guest.kind === 'function') return guest.input ? 'pipe' : 'ignore'
  if (guest.kind === 'commands') return 'ignore'
  return guest.program.stdin === 'pipe' || guest.program.terminal ? 'pipe' : 'ignore'
}
