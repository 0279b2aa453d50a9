import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { SandboxRequest } from '../backend.ts'
import { NODE_MODULES } from '../guest-host/guest-files.ts'

/** Links packages of the host, which both kinds of imports find then. */
export function linkNodePackages(
  guest: string,
  { nodePackages = [] }: Pick<SandboxRequest, 'nodePackages'>,
): string {
  for (const { name, target } of nodePackages) {
    const link = join(guest, NODE_MODULES, name)
    // A package of a scope is one level deeper. The first package of a name wins.
    if (!existsSync(dirname(link))) {
      mkdirSync(dirname(link))
      chmodSync(dirname(link), 0o755)
    }
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(toLinkTarget(name, target), link)
  }
  return guest
}

/** Pinned packages move with the root of an executor, and the guest does too. */
function toLinkTarget(name: string, target: string): string {
  if (!target.startsWith('/dependencies/')) return target
  return posix.relative(posix.dirname(`/guest/${NODE_MODULES}/${name}`), target)
}
