import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Services } from '../services.ts'
import { openTrustedRoot } from '../signing/sigstore/open-trusted-root.ts'
import { findTrustSource } from '../signing/trust/source.ts'
import { openTrustStore } from '../signing/trust/trust-store.ts'
import { verifyArtifact } from '../signing/verify/verify-artifact.ts'
import { digestContent } from '../skills/content/content-manifest.ts'
import { readContent } from '../skills/content/read-content.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import { locateInstall, locateUserInstall, type InstallPlaces } from './install-places.ts'
import { readSignature } from './installed-signatures.ts'
import { tryParseSource } from './installer/check-signatures.ts'
import { readLockFile, type LockedSkill } from './lock-file.ts'

type OriginServices = Pick<Services, 'config' | 'uploads'>

/**
 * Finds a skill whose author may be a stranger, and describes it as the beginning of a sentence. No
 * verdict of vetting says that a skill is harmless, so none makes its author known.
 */
export async function findStranger(
  services: OriginServices,
  skills: readonly MountedSkill[],
): Promise<string | undefined> {
  for (const { manifest, dir } of skills) {
    const origin = await describeForeignOrigin(services, dir)
    if (origin !== undefined) return `The skill "${manifest.name}" ${origin}`
  }
  return undefined
}

async function describeForeignOrigin(
  { config, uploads }: OriginServices,
  dir: string,
): Promise<string | undefined> {
  if (await (await uploads()).hasRealPath(dir)) return 'was uploaded'
  const real = realpathSync.native(dir)
  const root = config.remoteRoots.find(
    ({ path }) => existsSync(path) && real.startsWith(`${realpathSync.native(path)}/`),
  )
  if (root) return `was fetched from ${root.source}`
  const installed = findInstalled(dir) ?? findInstalled(real)
  if (!installed || (await isSigned(config, installed, real))) return undefined
  return 'was installed without a signature that you trust'
}

interface Installed {
  places: InstallPlaces
  skill: LockedSkill
}

/** Finds the entry of a folder in the lock of a project or a user, next to which it is. */
function findInstalled(dir: string): Installed | undefined {
  const skills = dirname(dir)
  const base = dirname(dirname(skills))
  if (skills !== join(base, '.agents', 'skills')) return undefined
  for (const places of [locateInstall(base), locateUserInstall(base, {})]) {
    const skill = readLockFile(places.lock).find(({ folder }) => folder === basename(dir))
    if (skill) return { places, skill }
  }
  return undefined
}

/** Verifies the files as they are now: a lock comes from others as well. */
async function isSigned(
  { policy, trust }: Services['config'],
  { places, skill }: Installed,
  dir: string,
): Promise<boolean> {
  if (policy.standardFile === undefined) return false
  const files = await readContent(dir)
  const digest = digestContent(files)
  const envelopes = readSignature(places, { tree: digest })
  const place = tryParseSource(skill.source, places.base)
  const { state } = verifyArtifact({
    artifact: {
      name: `${skill.name}@${skill.version}`,
      digest,
      files,
      hasUnknownArchive: skill.archive !== null,
    },
    envelopes,
    place: 'its signatures',
    // Next to the user's own policy.
    trust: openTrustStore(join(dirname(policy.standardFile), 'trust.json')).read(),
    source: place && findTrustSource(place, skill.resolved),
    sigstore: await openTrustedRoot(
      { named: undefined, configured: async () => trust.sigstoreRoot },
      envelopes,
    ),
    now: Date.now(),
  })
  return state === 'verified'
}
