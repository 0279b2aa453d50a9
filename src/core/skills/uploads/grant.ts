import type { Manifest } from '../manifest/manifest.ts'
import { coversEntry, parseNetworkEntry, type NetworkEntry } from '../manifest/network-entry.ts'

/** What the operator lets one version of a created skill have. */
export interface SkillGrant {
  name: string
  version: string
  /** Of the skill's files as they were: other files under the same name get nothing. */
  digest: string
  secrets: readonly string[]
  network: readonly string[]
}

/** Everything that is granted, apart from the skills. */
export interface SkillGrants {
  list(): Promise<readonly SkillGrant[]>
  /** Replaces what its version had; a grant of nothing takes it away. */
  set(grant: SkillGrant): Promise<void>
}

/** What a created skill declares and is not granted. */
export interface WithheldPermissions {
  secrets: readonly string[]
  network: readonly string[]
}

/** Leaves of a manifest's permissions what is granted. */
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

/** Whether an entry lies within what was granted; what cannot be read lies within nothing. */
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
