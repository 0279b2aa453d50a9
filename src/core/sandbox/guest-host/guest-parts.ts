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
  interactive: ['interactive'],
  otherLanguages: ['foreign', 'shell_harness'],
  inspector: ['inspect_relay'],
  folders: ['give_folders'],
  network: ['listeners'],
  launcher: ['launch', 'launcher', 'sandbox', 'host_root', 'layout', 'namespaces'],
  otherInterpreter: ['harness_main'],
  relay: ['relay', 'group_status'],
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
}

/**
 * Selects the guest files of a run: writing and removing the rest costs more than everything else.
 */
export function selectGuestFiles(
  request: SandboxRequest,
  { launches = false, hasOtherInterpreter = false, isRelayed = false }: GuestNeeds = {},
): (name: string) => boolean {
  const { program, job, interactive } = request
  const isProgram = program !== undefined
  // A program may load guest files, as Node does for TypeScript.
  const usesOtherLanguage = program
    ? program.argv.some((argument) => argument.includes('/guest/'))
    : job['program'] !== undefined || hasOtherInterpreter
  const needed: Record<string, boolean> = {
    harness: !isProgram,
    program: isProgram || interactive !== undefined,
    interactive: interactive !== undefined,
    otherLanguages: usesOtherLanguage,
    inspector: job['inspect'] !== undefined,
    folders: (request.folders ?? []).length > 0 || request.workspace !== undefined,
    network: request.network !== undefined,
    launcher: launches,
    otherInterpreter: hasOtherInterpreter,
    relay: isRelayed,
    zygote: false,
  }
  return (name) => {
    if (name.includes('/')) return usesOtherLanguage
    const part = PART_BY_MODULE.get(name.split('.')[0] ?? '')
    return part === undefined || needed[part] === true
  }
}
