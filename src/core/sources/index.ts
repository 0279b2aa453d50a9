import { archive, folder } from './known/folder.ts'
import { git } from './known/git.ts'
import { npm } from './known/npm.ts'
import { oci } from './known/oci.ts'
import { server } from './known/server.ts'
import { site } from './known/site.ts'
import { url } from './known/url.ts'
import type { RemoteKind, SourceKind, TargetKind } from './source-kind.ts'
import type { RemoteSourcePlace, SkillSourcePlace } from './source-place.ts'

const REMOTE = { git, npm, oci, site, url }
const KINDS = { ...REMOTE, folder, archive }

/** Every kind of source on another machine. */
export const REMOTE_KINDS = Object.values(REMOTE)

/** Forms that people type, by scheme. */
export const SOURCE_FORMS = new Map(
  Object.values(KINDS).flatMap(({ forms }) => Object.entries(forms)),
)

/** Every kind of target, in the order of messages. */
export const TARGET_KINDS: readonly TargetKind[] = [site, git, npm, oci]
  .flatMap(({ publish }) => publish ?? [])
  .concat(server)

/** The kind of a place. */
export function findKind<Place extends SkillSourcePlace>({ type }: Place): SourceKind<Place> {
  return KINDS[type] as unknown as SourceKind<Place>
}

/** The kind of a place on another machine. */
export function findRemoteKind<Place extends RemoteSourcePlace>({
  type,
}: Place): RemoteKind<Place> {
  return REMOTE[type] as unknown as RemoteKind<Place>
}
