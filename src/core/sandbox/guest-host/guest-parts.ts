import type { SandboxRequest } from '../backend.ts'

/** Modules of the guest that only some runs need; all others are in every run. */
const GUEST_PARTS = {
  harness: ['harness', 'channel', 'results', 'runtime_blobs', 'runtime_log', 'skill_imports'],
  program: ['program', 'waiting'],
  otherLanguages: ['foreign', 'shell_harness'],
  folders: ['give_folders'],
  network: ['listeners'],
  zygote: ['zygote', 'first_program', 'layout', 'namespaces', 'rehearsal', 'rehearsed'],
} as const

const PART_BY_MODULE = new Map(
  Object.entries(GUEST_PARTS).flatMap(([part, names]) =>
    names.map((name) => [name as string, part]),
  ),
)

/** Which files of the guest a run gets: writing and removing the others costs more than the rest. */
export function selectGuestFiles(request: SandboxRequest): (name: string) => boolean {
  const { program, job } = request
  const isProgram = program !== undefined
  // A program may be told to load a file of the guest's, as Node is for types.
  const speaksOther = program
    ? program.argv.some((word) => word.includes('/guest/'))
    : job['program'] !== undefined
  const needed: Record<string, boolean> = {
    harness: !isProgram,
    program: isProgram,
    otherLanguages: speaksOther,
    folders: (request.folders ?? []).length > 0 || request.workspace !== undefined,
    network: request.network !== undefined,
    zygote: false,
  }
  return (name) => {
    if (name.includes('/')) return speaksOther
    const part = PART_BY_MODULE.get(name.split('.')[0] ?? '')
    return part === undefined || needed[part] === true
  }
}
