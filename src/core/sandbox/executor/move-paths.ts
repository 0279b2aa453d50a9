import type { SandboxRequest } from '../backend.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import { GUEST_FOLDERS } from '../guest-host/guest-job.ts'
import { rewriteValues, rewritePaths, rewriteProgram } from '../process/rewrite-paths.ts'

/** Folders of every run; the targets of a request's own folders are added. */
const FOLDERS = [
  ...Object.values(GUEST_FOLDERS),
  '/guest',
  '/code',
  '/build',
  '/dependencies',
  '/typescript',
]

/**
 * Moves the paths of a request below the folder of its run. Paths within a shell command are not
 * rewritten: such a command uses its variables, or a path relative to its folder.
 */
export function movePaths(request: SandboxRequest, root: string): SandboxRequest {
  if (root === '') return request
  const targets = [...FOLDERS, ...(request.folders ?? []).map(({ target }) => target)]
  const locations = new Map(targets.map((target) => [target, root + target] as const))
  const move = (text: string) => rewritePaths(text, locations)
  const { guest } = request
  // An executor serves no commands.
  if (guest.kind === 'commands') return request
  if (guest.kind === 'function') {
    return { ...request, guest: { ...guest, job: moveJob(guest.job, move) } }
  }
  const { prepare } = guest.program
  const moved = rewriteProgram(guest.program, move)
  const program = {
    ...moved,
    env: { ...moved.env, TMPDIR: `${root}/tmp` },
    ...(prepare && {
      prepare: {
        folders: prepare.folders.map(move),
        files: prepare.files.map((each) => ({ ...each, path: move(each.path) })),
      },
    }),
  }
  return { ...request, guest: { ...guest, program } }
}

/** The harness rewrites paths of its own files itself. */
function moveJob(job: PlainObject, move: (text: string) => string): PlainObject {
  const moveTexts = (value: unknown) =>
    Array.isArray(value)
      ? value.map((each) => (typeof each === 'string' ? move(each) : each))
      : value
  const { dependencies, env, program } = job
  return {
    ...job,
    ...(dependencies !== undefined && { dependencies: moveTexts(dependencies) as string[] }),
    ...(program !== undefined && { program: moveTexts(program) as string[] }),
    ...(typeof env === 'object' && { env: rewriteValues(env as Record<string, string>, move) }),
  }
}
