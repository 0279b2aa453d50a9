import type { MountedSkill } from '../run/run-request.ts'
import { createdRoot, isCreated } from './created-root.ts'
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
    if (!isCreated(mount.dir, dataDir) || secrets.length + network.length === 0) {
      held.mounts.push(mount)
      continue
    }
    const { manifest, withheld } = applyGrant(mount.manifest, await grantFor(dataDir, mount))
    held.mounts.push({ ...mount, manifest })
    held.reasons.push(...reasonsFor(mount, withheld))
  }
  return held
}

async function grantFor(dataDir: string, { manifest, dir }: MountedSkill) {
  const { readGrants } = await import('./grant-file.ts')
  const { name, version } = manifest
  const grants = await readGrants(dataDir)
  const found = grants.find((each) => each.name === name && each.version === version)
  if (!found) return undefined
  const { digestFolder } = await import('../repository/digest.ts')
  // A folder that was swapped by hand below the created root is not what was granted.
  const isSame = dir.startsWith(createdRoot(dataDir)) && (await digestFolder(dir)) === found.digest
  return isSame ? found : undefined
}

function reasonsFor({ manifest }: MountedSkill, { secrets, network }: Withheld): string[] {
  const skill = `${manifest.name}@${manifest.version}`
  return [
    ...secrets.map((name) => `The secret ${name} of ${skill} is not granted`),
    ...network.map((entry) => `The network ${entry} of ${skill} is not granted`),
  ]
}
