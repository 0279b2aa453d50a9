import { isLoopbackHost } from '../../util/loopback-host.ts'
import { listAllCodeUses } from '../lint/code/code-uses.ts'
import { isOwnMachine, parseOrigin } from '../lint/code/network-origin.ts'
import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../skills/manifest/network-entry.ts'
import { normalizeNetworkEntry } from '../skills/manifest/capabilities.ts'
import { locate, locateInManifest, type ComparedSide } from './compared-side.ts'
import type { RawDifference } from './difference.ts'
import { listNewFacts, type PlacedFact } from './facts.ts'
import { listTexts } from './list-texts.ts'

/** Hosts that the manifest declares, that code requests, and that texts mention. */
export function compareHosts(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [oldCode, newCode] = [listRequestedHosts(before), listRequestedHosts(after)]
  const requested = listNewFacts(oldCode, newCode)
  const known = [...oldCode, ...newCode, ...toMentions(before)]
  return [
    ...compareDeclared(before, after),
    ...requested.map(({ subject, path, span }) => ({
      code: 'hosts/requested' as const,
      subject,
      place: locate(after, path, span),
    })),
    ...listNewFacts([...known, ...listMentionedHosts(before)], listMentionedHosts(after)).map(
      ({ subject, path, span }) => ({
        code: 'hosts/mentioned' as const,
        subject,
        place: locate(after, path, span),
      }),
    ),
  ]
}

function compareDeclared(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const oldEntries = listDeclared(before)
  const newEntries = listDeclared(after)
  const added = listNewFacts(oldEntries, newEntries)
    // A host below a wildcard that was allowed before widens nothing.
    .filter(
      ({ entry }) =>
        !entry || !oldEntries.some((old) => old.entry && coversEntry(old.entry, entry)),
    )
    .map(({ subject, index }) => ({
      code: 'hosts/added' as const,
      subject,
      after: subject,
      place: locateInManifest(after, ['permissions', 'network', index]),
    }))
  const removed = listNewFacts(newEntries, oldEntries).map(({ subject, index }) => ({
    code: 'hosts/removed' as const,
    subject,
    before: subject,
    place: locateInManifest(before, ['permissions', 'network', index]),
  }))
  return [...added, ...removed]
}

interface DeclaredHost extends PlacedFact {
  index: number
  entry: NetworkEntry | undefined
}

function listDeclared({ skill }: ComparedSide): DeclaredHost[] {
  return skill.manifest.permissions.network.map((written, index) => {
    const parsed = parseNetworkEntry(written)
    const entry = 'problem' in parsed ? undefined : parsed
    const key = normalizeNetworkEntry(written)
    return { key, subject: written, path: 'skill.toml', index, entry }
  })
}

/** Origins in calls that send a request. */
function listRequestedHosts({ skill }: ComparedSide): PlacedFact[] {
  return listAllCodeUses(skill).flatMap(({ file, requests }) =>
    requests.flatMap(({ origin, span }) => {
      const host = origin === undefined ? undefined : parseOrigin(origin)?.host
      if (origin === undefined || host === undefined || isOwnMachine(origin)) return []
      return [{ key: host, subject: origin, path: file, span }]
    }),
  )
}

/** Hosts of the manifest, so that a text which names one of them is no difference. */
function toMentions(side: ComparedSide): PlacedFact[] {
  return listDeclared(side).flatMap(({ entry, subject }) =>
    entry ? [{ key: entry.host, subject, path: 'skill.toml' }] : [],
  )
}

const URL_HOST =
  /\b(?:https?|wss?|ftp|ssh|git):\/\/(?:[^\s/@"'`<>()]{1,100}@)?([\p{L}\p{N}][\p{L}\p{N}.-]{0,252})/giu

/** Hosts of addresses in any text of the skill. */
function listMentionedHosts({ skill }: ComparedSide): PlacedFact[] {
  const found: PlacedFact[] = []
  for (const { path, text } of listTexts(skill)) {
    if (path === 'skill.toml') continue
    for (const match of text.matchAll(URL_HOST)) {
      const host = (match[1] ?? '').toLowerCase().replace(/\.+$/, '')
      if (isLoopbackHost(host) || host === '0.0.0.0' || !host.includes('.')) continue
      const span = { start: match.index, end: match.index + match[0].length }
      found.push({ key: host, subject: host, path, span })
    }
  }
  return found
}
