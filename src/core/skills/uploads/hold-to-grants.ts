import { realpath } from 'node:fs/promises'
import type { MountedSkill } from '../mounted-skill.ts'
import { isCreated } from './created-root.ts'
import { applyGrant, type Withheld } from './grant.ts'

/** Skills as a run may use them, and what its logs shall say about that. */
export interface HeldToGrants {
  mounts: MountedSkill[]
  reasons: string[]
}

/** Takes from skills that came over the wire what the operator did not grant. */
export async function holdToGrants(
  dataDir: string,
  mounts: readonly MountedSkill[],
): Promise<HeldToGrants> {
  const held: HeldToGrants = { mounts: [], reasons: [] }
  for (const mount of mounts) {
    const { secrets, network } = mount.manifest.permissions
    if (secrets.length + network.length === 0 || !(await isCreatedFolder(mount.dir, dataDir))) {
      held.mounts.push(mount)
      continue
    }
    const { manifest, withheld } = applyGrant(mount.manifest, await grantFor(dataDir, mount))
    held.mounts.push({ ...mount, manifest })
    held.reasons.push(...reasonsFor(mount, withheld))
  }
  return held
}

/** The folder counts, by whatever links it was reached. */
async function isCreatedFolder(dir: string, dataDir: string): Promise<boolean> {
  if (isCreated(dir, dataDir)) return true
  const [real, root] = await Promise.all(
    [realpath(dir), realpath(dataDir)].map(async (each) => await each.catch(() => '')),
  )
  return real !== '' && root !== '' && isCreated(real as string, root as string)
}

async function grantFor(dataDir: string, { manifest, dir }: MountedSkill) {
  const { readGrants } = await import('./grant-file.ts')
  const { name, version } = manifest
  const grants = await readGrants(dataDir)
  const found = grants.find((each) => each.name === name && each.version === version)
  if (!found) return undefined
  const { digestFolder } = await import('../repository/digest.ts')
  // Files that were swapped by hand are not what was granted.
  return (await digestFolder(dir)) === found.digest ? found : undefined
}

function reasonsFor({ manifest }: MountedSkill, { secrets, network }: Withheld): string[] {
  const skill = `${manifest.name}@${manifest.version}`
  return [
    ...secrets.map((name) => `The secret ${name} of ${skill} is not granted`),
    ...network.map((entry) => `The network ${entry} of ${skill} is not granted`),
  ]
}
