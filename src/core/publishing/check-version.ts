import { hash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { compareSemver, isSemver } from '../../util/semver.ts'
import { compareSkills } from '../comparing/compare-skills.ts'
import type { ParserOptions } from '../comparing/compared-side.ts'
import { SnapshotBuilder } from '../comparing/snapshots/snapshot-builder.ts'
import type { ContentSnapshot } from '../comparing/snapshots/snapshot.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import type {
  PublishCall,
  PublishedVersion,
  PublishTarget,
  SkillRelease,
} from './targets/publish-target.ts'

/** Relation of a release to the published versions. */
export interface VersionCheck {
  /** `present`: these files are there under this version. */
  status: 'new' | 'present'
  /** The newest published version that is not withdrawn. */
  newest: string | undefined
  /** The step that the changes since then need; undefined if they were not compared. */
  needed: string | undefined
}

export interface VersionRules extends ParserOptions {
  /** Accepts a step that is smaller than the changes need. */
  allowsSmallStep: boolean
}

/** Refuses to replace a version, an older version, and a step that is too small. */
export async function checkVersion(
  { target, release }: { target: PublishTarget; release: SkillRelease },
  rules: VersionRules,
  call: PublishCall,
): Promise<VersionCheck> {
  if (!isSemver(release.version)) throw noVersionError(release.version)
  const published = await target.listVersions(release, call)
  const newest = findNewest(published)
  const same = published.find(({ version }) => version === release.version)
  if (same) {
    await refuseOtherContent({ target, release }, same, call)
    return { status: 'present', newest: newest?.version, needed: undefined }
  }
  const highest = findHighest(published)
  if (highest && compareSemver(release.version, highest.version) <= 0) {
    throw new SkillsError(
      'skill/exists',
      `"${target.label}" has version ${highest.version}, and ${release.version} is not higher`,
      { hint: 'Raise the version of the skill' },
    )
  }
  const needed = newest && (await compareWithNewest({ target, release, newest }, rules, call))
  return { status: 'new', newest: newest?.version, needed }
}

/** The highest version that is not withdrawn. */
export function findNewest(published: readonly PublishedVersion[]): PublishedVersion | undefined {
  return findHighest(published.filter(({ yanked }) => yanked === undefined))
}

function findHighest(published: readonly PublishedVersion[]): PublishedVersion | undefined {
  return published.toSorted((a, b) => compareSemver(b.version, a.version))[0]
}

async function refuseOtherContent(
  { target, release }: { target: PublishTarget; release: SkillRelease },
  { tree, yanked }: PublishedVersion,
  call: PublishCall,
): Promise<void> {
  const what = `${release.skill}@${release.version}`
  if (yanked !== undefined) {
    throw new SkillsError('skill/exists', `${what} was withdrawn from "${target.label}"`, {
      hint: 'Raise the version of the skill: a withdrawn version is not published again',
    })
  }
  const isSame =
    tree === undefined ? await isSameWhenFetched(target, release, call) : tree === release.tree
  if (isSame) return
  throw new SkillsError('skill/exists', `"${target.label}" has ${what} with other content`, {
    hint: 'Raise the version of the skill: published versions never change',
    data: { published: tree ?? null, tree: release.tree },
  })
}

async function isSameWhenFetched(
  target: PublishTarget,
  release: SkillRelease,
  call: PublishCall,
): Promise<boolean> {
  const { findFetchedDifference } = await import('./compare-fetched.ts')
  // Archives may not be there yet, if an earlier call was interrupted.
  const content = { ...release, archives: [], bundle: undefined }
  return findFetchedDifference(content, await target.fetchBack(content, call)) === undefined
}

/** The step that the changes need; undefined if the target cannot return the files. */
async function compareWithNewest(
  {
    target,
    release,
    newest,
  }: { target: PublishTarget; release: SkillRelease; newest: PublishedVersion },
  rules: VersionRules,
  call: PublishCall,
): Promise<string | undefined> {
  const files = await target.readFiles(release, newest.version, call)
  if (!files) return undefined
  const before = createSnapshot(`${release.skill}@${newest.version}`, release.name, files)
  const after = createSnapshot(`${release.skill}@${release.version}`, release.name, release.files)
  const { version, severity } = await compareSkills(before, after, rules)
  if (version.isEnough !== false || rules.allowsSmallStep) return version.needed
  throw new SkillsError(
    'skill/invalid',
    `The changes since ${newest.version} need a ${version.needed} step, and ${release.version} is too low`,
    {
      hint: `Set the version to ${version.suggested}; --allow-small-step publishes it as it is`,
      data: { needed: version.needed, suggested: version.suggested ?? null, severity },
    },
  )
}

function createSnapshot(
  label: string,
  folder: string,
  files: readonly PackedFile[],
): ContentSnapshot {
  const builder = new SnapshotBuilder(label, folder)
  for (const { path, bytes, isExecutable } of files) {
    builder.addFile(path, {
      mode: isExecutable ? 0o755 : 0o644,
      size: bytes.length,
      digest: hash('sha256', bytes),
      bytes: builder.keepsSize(bytes.length) ? bytes : undefined,
    })
  }
  return builder.build()
}

function noVersionError(version: string): SkillsError {
  return new SkillsError(
    'skill/invalid',
    `Cannot publish the version ${JSON.stringify(version)}: it is not a semantic version`,
    { hint: 'Set version = "1.0.0" in skill.toml, or metadata.version in SKILL.md' },
  )
}
