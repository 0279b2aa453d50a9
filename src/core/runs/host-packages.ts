import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  findHiddenFolders,
  findNodeFolders,
  KEPT_ENTRIES,
} from '../languages/packages/package-folders.ts'
import type { Interpreter, SandboxProcess, SandboxRequest } from '../sandbox/backend.ts'
import { getHarnessJob } from '../sandbox/guest-host/guest-job.ts'
import type { GuestToolchains } from './guest-toolchains.ts'
import { DEPENDENCIES_FOLDER } from '../skills/dependencies/packages-location.ts'

/** The part of a request that packages depend on. */
type PackagedGuest = Pick<SandboxRequest, 'guest' | 'tools' | 'nodePackages'> & {
  toolchains?: GuestToolchains | undefined
}
type PackageRequest = Pick<SandboxRequest, 'hidden' | 'hostPackages' | 'nodePackages'>

/** First lines of the logs. */
export function listPackageNotes(hostPackages: boolean): string[] {
  if (!hostPackages) return []
  return [
    'This run can use the Python and Node packages of this machine: it may fail on another one',
  ]
}

/** True if a run sees packages of this machine: those of the configuration, or of toolchains. */
export function seesPackages({ toolchains }: PackagedGuest, hostPackages: boolean): boolean {
  return hostPackages || toolchains !== undefined
}

/** Adds the visible packages to the isolation of a run. */
export function reportPackages(sandbox: SandboxProcess, hostPackages: boolean): SandboxProcess {
  if (!hostPackages) return sandbox
  return Object.assign(sandbox, { isolation: { ...sandbox.isolation, host_packages: true } })
}

/** Describes the packages of this machine that a run sees: all of them, or none. */
export function describePackages(guest: PackagedGuest, hostPackages: boolean): PackageRequest {
  const { toolchains } = guest
  if (toolchains && !hostPackages) return { hostPackages, hidden: toolchains.hidden }
  const tools = (guest.tools ?? []).filter(({ target }) => !target.startsWith(DEPENDENCIES_FOLDER))
  if (!hostPackages)
    return { hostPackages, hidden: removeOwnFolder(findHiddenFolders(tools), guest) }
  const isNode = listArguments(guest).some((argument) => basename(argument) === 'node')
  return {
    hostPackages,
    ...(toolchains && { hidden: toolchains.hidden }),
    // The first package of a name wins: those that a skill pinned.
    nodePackages: [
      ...(guest.nodePackages ?? []),
      ...(isNode
        ? findNodeFolders([{ source: '/usr', target: '/usr' }, ...tools]).flatMap(listPackages)
        : []),
    ],
  }
}

/** Hides the same folders, except one that contains the program of the run. */
export function showOwnFolder(interpreter: Interpreter, guest: PackagedGuest): Interpreter {
  const hidden = guest.toolchains ? [] : removeOwnFolder(interpreter.hidden, guest)
  return hidden.length === interpreter.hidden.length ? interpreter : { ...interpreter, hidden }
}

/** A program such as `tsx` can itself be a package of this machine. */
function removeOwnFolder(
  hidden: Interpreter['hidden'],
  guest: PackagedGuest,
): Interpreter['hidden'] {
  const [program = ''] = listArguments(guest)
  return hidden.filter(({ target }) => !program.startsWith(`${target}/`))
}

function listArguments({ guest }: PackagedGuest): readonly string[] {
  if (guest.kind === 'program') return guest.program.argv
  return (getHarnessJob(guest)?.['program'] as readonly string[] | undefined) ?? []
}

function listPackages({ source, target }: { source: string; target: string }) {
  return readdirSync(source).flatMap((name) => {
    if (name.startsWith('.') || KEPT_ENTRIES.includes(name)) return []
    const names = name.startsWith('@')
      ? readdirSync(join(source, name)).map((each) => `${name}/${each}`)
      : [name]
    return names.map((each) => ({ name: each, target: join(target, each) }))
  })
}
