import type { SandboxRequest } from '../backend.ts'
import { getHarnessJob } from './guest-job.ts'

/** Guest modules that only some runs need; all others are always included. */
const GUEST_PARTS = {
  harness: [
    'harness',
    'channel',
    'results',
    'runtime_blobs',
    'runtime_log',
    'runtime_progress',
    'skill_imports',
  ],
  program: ['program', 'waiting'],
  firstFiles: ['first_files'],
  fixedValues: ['fixed_values'],
  commands: ['commands', 'session_processes'],
  kernel: ['kernels', 'kernel', 'kernel_main', 'cell_streams'],
  interactive: ['interactive'],
  otherLanguages: ['foreign', 'shell_harness'],
  inspector: ['inspect_relay'],
  folders: ['give_folders'],
  network: ['listeners'],
  launcher: ['launch', 'launcher', 'sandbox', 'host_root', 'layout'],
  otherInterpreter: ['harness_main'],
  relay: ['relay', 'group_status', 'gvisor'],
  placing: ['placing', 'armour'],
  zygote: ['zygote', 'first_program', 'rehearsal', 'rehearsed'],
} as const

const PART_BY_MODULE = new Map(
  Object.entries(GUEST_PARTS).flatMap(([part, names]) =>
    names.map((name) => [name as string, part]),
  ),
)

/** Guest modules that depend on the backend. */
export interface GuestNeeds {
  /** True if the guest creates its own namespaces. */
  launches?: boolean
  /** True if the skill's interpreter is not that of the first process. */
  hasOtherInterpreter?: boolean
  /** True if the guest passes its streams on itself. */
  isRelayed?: boolean
  /** True if a program before the launcher mounts views of folders. */
  mountsViews?: boolean
}

/**
 * Selects the guest files of a run: writing and removing the rest costs more than everything else.
 */
export function selectGuestFiles(
  request: SandboxRequest,
  {
    launches = false,
    hasOtherInterpreter = false,
    isRelayed = false,
    mountsViews = false,
  }: GuestNeeds = {},
): (name: string) => boolean {
  const { guest } = request
  const harnessJob = getHarnessJob(guest)
  const job = harnessJob ?? {}
  const isInteractive = guest.kind === 'function' && guest.input !== undefined
  const usesOtherLanguage = needsOtherLanguage(request, hasOtherInterpreter)
  const hasProgram = guest.kind !== 'function' || isInteractive
  const needed: Record<string, boolean> = {
    harness: harnessJob !== undefined,
    program: hasProgram,
    firstFiles: hasProgram || job['write'] !== undefined,
    fixedValues: job['fixed'] !== undefined,
    commands: guest.kind === 'commands',
    kernel: startsKernel(request),
    interactive: isInteractive,
    otherLanguages: usesOtherLanguage,
    inspector: job['inspect'] !== undefined,
    folders: mountsViews || hasHostFolders(request),
    network: request.network !== undefined,
    launcher: launches,
    otherInterpreter: hasOtherInterpreter,
    relay: isRelayed,
    // Sent before the other files.
    placing: false,
    zygote: false,
  }
  return (name) => {
    if (name.includes('/')) return usesOtherLanguage
    const part = PART_BY_MODULE.get(name.split('.')[0] ?? '')
    return part === undefined || needed[part] === true
  }
}

/** A program may load guest files, as Node does for TypeScript. */
function needsOtherLanguage(request: SandboxRequest, hasOtherInterpreter: boolean): boolean {
  const { guest } = request
  if (guest.kind === 'program') return guest.program.argv.some((each) => each.includes('/guest/'))
  const usesProgram = getHarnessJob(guest)?.['program'] !== undefined
  return usesProgram || hasOtherInterpreter || startsKernel(request)
}

function startsKernel({ guest }: SandboxRequest): boolean {
  return guest.kind === 'commands' && guest.kernel !== undefined
}

function hasHostFolders({ folders, workspace }: SandboxRequest): boolean {
  return workspace !== undefined || (folders !== undefined && folders.length > 0)
}
