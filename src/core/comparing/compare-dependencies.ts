import { createHash } from 'node:crypto'
import { compareSemver, isSemver } from '../../util/semver.ts'
import { locate, type ComparedSide } from './compared-side.ts'
import {
  listDeclaredPackages,
  listInstallScripts,
  type DeclaredPackage,
} from './declared-packages.ts'
import type { DifferenceCode, RawDifference } from './difference.ts'
import { listNewFacts, type PlacedFact } from './facts.ts'
import { findVendoredFolder } from './snapshots/left-out-paths.ts'
import { listTexts } from './list-texts.ts'
import { findRuntimeFetches, type RuntimeFetch } from './runtime-fetches.ts'

/** Packages that files declare, installed packages in the skill, and fetches at run time. */
export function compareDependencies(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const scripts = (side: ComparedSide): PlacedFact[] =>
    listInstallScripts(side.skill).map((each) => ({ ...each, subject: each.key }))
  return [
    ...comparePackages(before, after),
    ...listNewFacts(scripts(before), scripts(after)).map(({ subject, path }) => ({
      code: 'dependencies/install-script' as const,
      subject,
      place: locate(after, path),
    })),
    ...compareVendored(before, after),
    ...compareFetches(before, after),
  ]
}

function comparePackages(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [listDeclaredPackages(before.skill), listDeclaredPackages(after.skill)]
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort()
  return keys.flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)]
    const code = classifyPackage(was, is)
    const [side, shown] = is ? [after, is] : [before, was]
    if (code === undefined || !shown) return []
    return [
      {
        code,
        subject: shown.name,
        before: was && (was.version || 'any version'),
        after: is && (is.version || 'any version'),
        place: locatePackage(side, shown),
      },
    ]
  })
}

function locatePackage(side: ComparedSide, { name, path }: DeclaredPackage) {
  const plain = name.slice(name.indexOf(' ') + 1)
  const at = (side.skill.read(path) ?? '').toLowerCase().indexOf(plain.toLowerCase())
  return locate(side, path, at === -1 ? undefined : { start: at, end: at + plain.length })
}

function classifyPackage(
  was: DeclaredPackage | undefined,
  is: DeclaredPackage | undefined,
): DifferenceCode | undefined {
  if (!was) return 'dependencies/added'
  if (!is) return 'dependencies/removed'
  if (was.version === is.version) {
    const isSame = was.hashes === is.hashes
    return isSame ? undefined : 'dependencies/other-hashes'
  }
  const [old, now] = [toSemver(was.version), toSemver(is.version)]
  if (old === undefined || now === undefined) return 'dependencies/changed'
  if (compareSemver(now, old) < 0) return 'dependencies/lowered'
  const isMajor = old.split('.')[0] !== now.split('.')[0]
  return isMajor ? 'dependencies/raised-major' : 'dependencies/raised'
}

/** A version as semver, from `1.2`, `^1.2.3` or `v1`; undefined for other ranges. */
function toSemver(version: string): string | undefined {
  const match = /^[\^~v]?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(version)
  const text = match ? `${match[1]}.${match[2] ?? 0}.${match[3] ?? 0}` : version
  return isSemver(text) ? text : undefined
}

/** Installed packages count as one, by a digest of all their files. */
function compareVendored(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [digestVendored(before), digestVendored(after)]
  const folders = [...new Set([...old.keys(), ...now.keys()])].sort()
  return folders.flatMap((folder) => {
    const [was, is] = [old.get(folder), now.get(folder)]
    if (was === is) return []
    const side = is === undefined ? before.side : after.side
    const place = { side, path: folder }
    return [
      {
        code: 'dependencies/vendored-changed' as const,
        subject: folder,
        before: was,
        after: is,
        place,
      },
    ]
  })
}

function digestVendored({ snapshot }: ComparedSide): Map<string, string> {
  const lines = new Map<string, string[]>()
  for (const [path, { digest, mode }] of snapshot.files) {
    const folder = findVendoredFolder(path)
    if (folder === undefined) continue
    const list = lines.get(folder) ?? []
    list.push(`${mode} ${digest} ${JSON.stringify(path)}`)
    lines.set(folder, list)
  }
  return new Map(
    [...lines].map(([folder, list]) => {
      const digest = createHash('sha256').update(list.sort().join('\n')).digest('hex')
      return [folder, `${list.length} files, sha256:${digest.slice(0, 16)}`]
    }),
  )
}

const FETCH_CODES: Readonly<Record<RuntimeFetch['kind'], DifferenceCode>> = {
  pinned: 'dependencies/fetched',
  unpinned: 'dependencies/fetched-unpinned',
  'remote-code': 'dependencies/remote-code',
}

function compareFetches(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [listFetches(before), listFetches(after)]
  return [
    ...listNewFacts(old, now).map(({ kind, subject, path, span }) => ({
      code: FETCH_CODES[kind],
      subject,
      place: locate(after, path, span),
    })),
    ...listNewFacts(now, old).map(({ subject, path, span }) => ({
      code: 'dependencies/no-longer-fetched' as const,
      subject,
      place: locate(before, path, span),
    })),
  ]
}

function listFetches({ skill }: ComparedSide): (PlacedFact & Pick<RuntimeFetch, 'kind'>)[] {
  const found: (PlacedFact & Pick<RuntimeFetch, 'kind'>)[] = []
  for (const { path, text } of listTexts(skill)) {
    for (const { kind, subject, span } of findRuntimeFetches(text)) {
      found.push({ key: `${kind} ${subject}`, kind, subject, path, span })
    }
  }
  return found
}
