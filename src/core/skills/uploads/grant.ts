import type { Manifest } from '../manifest/manifest.ts'
import { coversEntry, parseNetworkEntry, type NetworkEntry } from '../manifest/network-entry.ts'

/** Permissions that the operator grants to one version of an uploaded skill. */
export interface SkillGrant {
  name: string
  version: string
  /** Digest of the skill's files: other files under the same name are not granted anything. */
  digest: string
  secrets: readonly string[]
  network: readonly string[]
}

/** All grants, stored separately from the skills. */
export interface SkillGrants {
  list(): Promise<readonly SkillGrant[]>
  /** Replaces the grant of its version; an empty grant removes it. */
  set(grant: SkillGrant): Promise<void>
}

/** True for a value that was stored as a grant. */
export function isGrant(value: unknown): value is SkillGrant {
  const { name, version, digest, secrets, network } = (value ?? {}) as Partial<SkillGrant>
  const isText = (each: unknown) => typeof each === 'string'
  const isTextList = (each: unknown) => Array.isArray(each) && each.every(isText)
  return [name, version, digest].every(isText) && [secrets, network].every(isTextList)
}

/** Declared permissions that are not granted. */
export interface WithheldPermissions {
  secrets: readonly string[]
  network: readonly string[]
}

/** Reduces a manifest's permissions to the granted ones. */
export function applyGrant(
  manifest: Manifest,
  grant: Pick<SkillGrant, 'secrets' | 'network'> | undefined,
): { manifest: Manifest; withheld: WithheldPermissions } {
  const { secrets, network } = manifest.permissions
  const isGranted = createNetworkFilter(grant?.network ?? [])
  const kept = {
    secrets: secrets.filter((name) => grant?.secrets.includes(name)),
    network: network.filter(isGranted),
  }
  return {
    manifest: { ...manifest, permissions: { ...manifest.permissions, ...kept } },
    withheld: {
      secrets: secrets.filter((name) => !kept.secrets.includes(name)),
      network: network.filter((entry) => !isGranted(entry)),
    },
  }
}

/** Creates a filter for entries that the granted ones cover; an unreadable entry is not covered. */
function createNetworkFilter(granted: readonly string[]): (entry: string) => boolean {
  const wide = granted.map(parseNetworkEntry).filter(isNetworkEntry)
  return (text) => {
    const narrow = parseNetworkEntry(text)
    return isNetworkEntry(narrow) && wide.some((each) => coversEntry(each, narrow))
  }
}

function isNetworkEntry(parsed: ReturnType<typeof parseNetworkEntry>): parsed is NetworkEntry {
  return !('problem' in parsed)
}
