import { listAllCodeUses } from '../lint/code/code-uses.ts'
import { PROVIDED_VARIABLES } from '../lint/rules/permissions/undeclared-secret.ts'
import { findSecrets } from '../lint/secrets/find-secrets.ts'
import { maskSecret } from '../lint/secrets/mask-secrets.ts'
import { splitAllowedTools } from '../skills/manifest/allowed-tools.ts'
import { listOtherPermissions } from '../skills/manifest/capabilities.ts'
import { getSecretPath } from '../skills/manifest/secret-use.ts'
import { toSortedJson } from '../skills/manifest/sorted-json.ts'
import { locate, locateInManifest, type ComparedSide } from './compared-side.ts'
import type { RawDifference } from './difference.ts'
import { listNewFacts, type PlacedFact } from './facts.ts'
import { listTexts } from './list-texts.ts'
import type { SnapshotFile } from './snapshots/snapshot.ts'
import { leavesSnapshot } from './snapshots/snapshot-source.ts'

/** Names of secrets, variables that code reads, and values that look like secrets. */
export function compareSecrets(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [oldNames, newNames] = [before, after].map(
    ({ skill }) => skill.manifest.permissions.secrets,
  ) as [readonly string[], readonly string[]]
  const added = newNames.filter(
    (name, index) => !oldNames.includes(name) && newNames.indexOf(name) === index,
  )
  const removed = oldNames.filter(
    (name, index) => !newNames.includes(name) && oldNames.indexOf(name) === index,
  )
  const known: PlacedFact[] = [...oldNames, ...newNames].map((name) => ({
    key: name,
    subject: name,
    path: '',
  }))
  return [
    ...added.map((name) => ({
      code: 'secrets/added' as const,
      subject: name,
      place: locateInManifest(after, getSecretPath(after.skill.manifest, newNames.indexOf(name))),
    })),
    ...removed.map((name) => ({
      code: 'secrets/removed' as const,
      subject: name,
      place: locateInManifest(before, getSecretPath(before.skill.manifest, oldNames.indexOf(name))),
    })),
    ...listNewFacts([...known, ...listReadVariables(before)], listReadVariables(after)).map(
      ({ subject, path, span }) => ({
        code: 'secrets/read' as const,
        subject,
        place: locate(after, path, span),
      }),
    ),
    ...listNewFacts(listLiterals(before), listLiterals(after)).map(({ subject, path, span }) => ({
      code: 'secrets/literal' as const,
      subject,
      place: locate(after, path, span),
    })),
  ]
}

function listReadVariables({ skill }: ComparedSide): PlacedFact[] {
  return listAllCodeUses(skill).flatMap(({ file, environment }) =>
    environment
      .filter(({ name }) => !PROVIDED_VARIABLES.has(name))
      .map(({ name, span }) => ({ key: name, subject: name, path: file, span })),
  )
}

/** Values that look like secrets; only their first characters are reported. */
function listLiterals({ skill }: ComparedSide): PlacedFact[] {
  const found: PlacedFact[] = []
  for (const { path, text } of listTexts(skill)) {
    for (const { value, span } of findSecrets(path, text)) {
      found.push({ key: value, subject: maskSecret(value), path, span })
    }
  }
  return found
}

const SPECIAL_BITS = 0o7000
const OTHERS_WRITE = 0o002
const EXECUTE = 0o111

/** Permission bits, links out of the skill, and permissions other than network and secrets. */
export function compareFileRights(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const found = [...after.snapshot.files].flatMap(([path, file]) =>
    file.type === 'link'
      ? compareLink(path, before.snapshot.files.get(path), file)
      : compareModes(path, before.snapshot.files.get(path), file),
  )
  return [...found, ...compareOtherPermissions(before, after)]
}

function compareLink(
  path: string,
  was: SnapshotFile | undefined,
  { target = '' }: SnapshotFile,
): RawDifference[] {
  if (target === was?.target || !leavesSnapshot(path, target)) return []
  const place = { side: 'after' as const, path }
  return [{ code: 'file-rights/link-outside', subject: path, after: target, place }]
}

function compareModes(
  path: string,
  was: SnapshotFile | undefined,
  { mode, type }: SnapshotFile,
): RawDifference[] {
  if (type !== 'file') return []
  const old = was?.type === 'file' ? was.mode : undefined
  const place = { side: 'after' as const, path }
  const modes = {
    subject: path,
    before: old === undefined ? undefined : formatMode(old),
    after: formatMode(mode),
    place,
  }
  const risky = (SPECIAL_BITS | OTHERS_WRITE) & mode & ~(old ?? 0)
  const [wasProgram, isProgram] = [((old ?? 0) & EXECUTE) !== 0, (mode & EXECUTE) !== 0]
  const code = isProgram ? 'file-rights/executable' : 'file-rights/not-executable'
  return [
    ...(risky === 0 ? [] : [{ code: 'file-rights/special-bits' as const, ...modes }]),
    ...(old === undefined || wasProgram === isProgram ? [] : [{ code, ...modes } as const]),
  ]
}

function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

/** Each element of a list is a right of its own. */
function compareOtherPermissions(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [listRights(before), listRights(after)]
  return [
    ...listNewFacts(old, now).map(({ subject, path }) => ({
      code: 'file-rights/added' as const,
      subject,
      place: locateInManifest(after, ['permissions', path]),
    })),
    ...listNewFacts(now, old).map(({ subject, path }) => ({
      code: 'file-rights/removed' as const,
      subject,
      place: locateInManifest(before, ['permissions', path]),
    })),
  ]
}

function listRights({ skill }: ComparedSide): PlacedFact[] {
  return listOtherPermissions(skill.manifest.toml).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => {
      const subject = `${name} = ${typeof each === 'string' ? each : toSortedJson(each)}`
      return { key: subject, subject, path: name }
    }),
  )
}

/** The tools that a host may use without asking. */
export function compareAllowedTools(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before, after].map(({ skill }) =>
    splitAllowedTools(skill.manifest.frontMatter['allowed-tools']),
  )
  const place = (side: ComparedSide) =>
    locate(side, 'SKILL.md', side.skill.markdown?.frontMatter.locate(['allowed-tools']))
  const added = (now ?? []).filter((tool) => !old?.includes(tool))
  const removed = (old ?? []).filter((tool) => !now?.includes(tool))
  return [
    ...added.map((subject) => ({
      code: 'allowed-tools/added' as const,
      subject,
      place: place(after),
    })),
    ...removed.map((subject) => ({
      code: 'allowed-tools/removed' as const,
      subject,
      place: place(before),
    })),
  ]
}
