import type { Services } from '../../services.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import { applyGrant, type WithheldPermissions } from './grant.ts'

/** Skills with their effective permissions, and a log line for each withheld permission. */
interface GrantedMounts {
  mounts: MountedSkill[]
  /** Names of the uploaded skills. */
  uploaded: Set<string>
  reasons: string[]
}

/** Removes permissions from uploaded skills that the operator did not grant. */
export async function applyGrants(
  services: Pick<Services, 'uploads' | 'grants'>,
  mounts: readonly MountedSkill[],
): Promise<GrantedMounts> {
  const granted: GrantedMounts = { mounts: [], uploaded: new Set(), reasons: [] }
  for (const mount of mounts) {
    const { secrets, network } = mount.manifest.permissions
    const declaresNone = secrets.length + network.length === 0
    if (declaresNone || !(await (await services.uploads()).hasRealPath(mount.dir))) {
      granted.mounts.push(mount)
      continue
    }
    const { manifest, withheld } = applyGrant(mount.manifest, await findGrant(services, mount))
    granted.mounts.push({ ...mount, manifest })
    granted.uploaded.add(manifest.name)
    granted.reasons.push(...describeWithheld(mount, withheld))
  }
  return granted
}

async function findGrant(services: Pick<Services, 'grants'>, { manifest, dir }: MountedSkill) {
  const { name, version } = manifest
  const grants = await (await services.grants()).list()
  const found = grants.find((each) => each.name === name && each.version === version)
  if (!found) return undefined
  const { digestFolder } = await import('../content/read-content.ts')
  // Files that were replaced on disk are not covered by the grant.
  return (await digestFolder(dir)) === found.digest ? found : undefined
}

function describeWithheld({ manifest }: MountedSkill, { secrets, network }: WithheldPermissions): string[] {
  const skill = `${manifest.name}@${manifest.version}`
  return [
    ...secrets.map((name) => `The secret ${name} of ${skill} is not granted`),
    ...network.map((entry) => `The network ${entry} of ${skill} is not granted`),
  ]
}
