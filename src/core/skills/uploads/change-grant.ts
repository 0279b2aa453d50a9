import { SkillsError } from '../../../errors.ts'
import { findSharedOwners, parseNetworkEntry } from '../manifest/network-entry.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Services } from '../../services.ts'
import type { SkillEntry } from '../repository/repository.ts'
import type { SkillGrant, SkillGrants } from './grant.ts'

/** Permissions to grant or to revoke. */
export interface GrantChange {
  secrets: readonly string[]
  network: readonly string[]
  /** True to revoke; without names everything is revoked. */
  revoke: boolean
}

/**
 * Grants secrets and network access to an uploaded skill, or revokes them; returns the resulting
 * grant.
 */
export async function changeGrant(
  services: Pick<Services, 'repository' | 'uploads' | 'grants'>,
  entry: SkillEntry,
  change: GrantChange,
): Promise<SkillGrant> {
  if (!(await services.uploads()).has(entry.dir)) throw notUploadedError(entry)
  const manifest = await services.repository.manifest(entry)
  const digest = await services.repository.digest(entry)
  return await storeGrant(await services.grants(), { manifest, digest }, change)
}

/** Lets another caller, and no one else, add versions of an uploaded skill. */
export async function transferName(
  services: Pick<Services, 'uploads'>,
  entry: SkillEntry,
  owner: string,
): Promise<void> {
  const uploads = await services.uploads()
  if (!uploads.has(entry.dir)) throw notUploadedError(entry)
  await uploads.owners.transfer(entry.name, owner)
}

/** Changes the grant of a version with these files. */
export async function storeGrant(
  grants: SkillGrants,
  { manifest, digest }: { manifest: Manifest; digest: string },
  change: GrantChange,
): Promise<SkillGrant> {
  if (!change.revoke) checkDeclared(manifest, change)
  const { name, version } = manifest
  // A grant for other files is invalid and is not carried over.
  const before = (await grants.list()).find(
    (each) => each.name === name && each.version === version && each.digest === digest,
  )
  const grant: SkillGrant = { name, version, digest, ...mergeGrant(before, change) }
  await grants.set(grant)
  return grant
}

function mergeGrant(
  before: SkillGrant | undefined,
  { secrets, network, revoke }: GrantChange,
): Pick<SkillGrant, 'secrets' | 'network'> {
  const { secrets: oldSecrets = [], network: oldNetwork = [] } = before ?? {}
  if (!revoke) {
    return { secrets: mergeUnique(oldSecrets, secrets), network: mergeUnique(oldNetwork, network) }
  }
  if (secrets.length + network.length === 0) return { secrets: [], network: [] }
  return {
    secrets: oldSecrets.filter((each) => !secrets.includes(each)),
    network: oldNetwork.filter((each) => !network.includes(each)),
  }
}

/** Rejects undeclared names: a misspelt one would be granted without effect. */
function checkDeclared({ name, permissions }: Manifest, { secrets, network }: GrantChange): void {
  const unknown = secrets.find((each) => !permissions.secrets.includes(each))
  if (unknown !== undefined) {
    throw new SkillsError('usage/invalid', `"${name}" does not declare the secret "${unknown}"`, {
      hint: describeDeclared('secrets', permissions.secrets),
    })
  }
  for (const entry of network) {
    const parsed = parseNetworkEntry(entry)
    if ('problem' in parsed) {
      throw new SkillsError('usage/invalid', `Cannot grant "${entry}": ${parsed.problem}`, {
        hint: parsed.suggestion ? `Try "${parsed.suggestion}"` : undefined,
      })
    }
    const shared = findSharedOwners(parsed)
    if (shared !== undefined) {
      throw new SkillsError('usage/invalid', `Cannot grant "${entry}": ${shared}`, {
        hint: 'Grant the hosts that the skill connects to',
      })
    }
  }
}

function describeDeclared(noun: string, names: readonly string[]): string {
  return names.length === 0 ? `It declares no ${noun}` : `It declares ${names.join(', ')}`
}

function notUploadedError({ name, version }: SkillEntry): SkillsError {
  return new SkillsError('usage/invalid', `"${name}@${version}" was not uploaded by create_skill`, {
    hint: 'Skills in your own folders need no grant: they get the permissions that they declare and you configure',
  })
}

function mergeUnique(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])]
}
