import type { SandboxRequest } from '../backend.ts'

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
  const { program, job, interactive } = request
  const isProgram = program !== undefined
  const servesCommands = request.servesCommands === true
  const isKernel = startsKernel(request)
  const usesOtherLanguage = needsOtherLanguage(request, hasOtherInterpreter)
  const hasProgram = [isProgram, servesCommands, interactive !== undefined].some(Boolean)
  const needed: Record<string, boolean> = {
    harness: isKernel || !(isProgram || servesCommands),
    program: hasProgram,
    firstFiles: hasProgram || job['write'] !== undefined,
    fixedValues: job['fixed'] !== undefined,
    commands: servesCommands,
    kernel: isKernel,
    interactive: interactive !== undefined,
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
  const { program, job } = request
  if (program) return program.argv.some((argument) => argument.includes('/guest/'))
  return job['program'] !== undefined || hasOtherInterpreter || startsKernel(request)
}

function startsKernel({ servesCommands, job }: SandboxRequest): boolean {
  return servesCommands === true && job['kernel'] === true
}

function hasHostFolders({ folders, workspace }: SandboxRequest): boolean {
  return workspace !== undefined || (folders !== undefined && folders.length > 0)
}
