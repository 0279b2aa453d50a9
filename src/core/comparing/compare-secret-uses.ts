import { normalizeNetworkEntry, normalizePlace } from '../skills/manifest/capabilities.ts'
import type { SecretUse } from '../skills/manifest/manifest.ts'
import { getSecretPath, getSecretUse } from '../skills/manifest/secret-use.ts'
import { locateInManifest, type ComparedSide } from './compared-side.ts'
import type { RawDifference } from './difference.ts'

/** Hosts and places of the secrets that both skills declare. */
export function compareSecretUses(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before.skill.manifest, after.skill.manifest]
  const names = [...new Set(now.permissions.secrets)]
  return names
    .filter((name) => old.permissions.secrets.includes(name))
    .flatMap((name) => {
      const index = now.permissions.secrets.indexOf(name)
      const place = locateInManifest(after, getSecretPath(now, index))
      return compareUse(
        getSecretUse(old.permissions, name),
        getSecretUse(now.permissions, name),
      ).map((found) => ({ ...found, subject: name, place }))
    })
}

type UseDifference = Pick<RawDifference, 'code' | 'before' | 'after'>

function compareUse(old: SecretUse | undefined, now: SecretUse | undefined): UseDifference[] {
  if (!old || !now) {
    if (old) return [{ code: 'secrets/inside', before: listDestinations(old).join(', ') }]
    return now ? [{ code: 'secrets/outside', after: listDestinations(now).join(', ') }] : []
  }
  const [oldParts, newParts] = [listDestinations(old), listDestinations(now)]
  const added = newParts.filter((part) => !oldParts.includes(part)).join(', ')
  const removed = oldParts.filter((part) => !newParts.includes(part)).join(', ')
  return [
    ...(added === '' ? [] : [{ code: 'secrets/sent-further' as const, after: added }]),
    ...(removed === '' ? [] : [{ code: 'secrets/sent-less' as const, before: removed }]),
  ]
}

function listDestinations(use: SecretUse): string[] {
  return [...use.hosts.map(normalizeNetworkEntry), ...use.in.map(normalizePlace)]
}
