import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { describeFiles, type PackedFile } from '../../core/packing/packed-file.ts'
import { parsePackedManifests } from '../../core/packing/packed-manifests.ts'
import { archiveTooLargeError, DOWNLOAD_LIMITS } from '../../core/packing/read/archive-error.ts'
import { readArchive } from '../../core/packing/read/read-archive.ts'
import { removeWrapper } from '../../core/packing/read/remove-wrapper.ts'
import { digestContent } from '../../core/skills/content/content-manifest.ts'
import { readContent } from '../../core/skills/content/read-content.ts'
import type { Manifest } from '../../core/skills/manifest/manifest.ts'
import { readSkillFiles } from '../../core/skills/manifest/read-source.ts'
import { toManifest } from '../../core/skills/manifest/to-manifest.ts'
import { findPackageUrl } from '../../core/registries/npm/package-url.ts'
import { BUNDLE_EXTENSION, listBundleFiles } from '../../core/signing/envelope/bundle-file.ts'
import type { StatementSubject } from '../../core/signing/statement/statement.ts'
import type { SignedArtifact } from '../../core/signing/verify/verification-request.ts'
import { SkillsError } from '../../errors.ts'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'

/** A skill or an archive of a command line, and its file of signatures. */
export interface FoundArtifact extends SignedArtifact {
  /** Absolute path of the folder or of the archive. */
  path: string
  /** Undefined if it is not valid, as after a change. */
  manifest: Manifest | undefined
  /** Name and digest of the bytes of an archive. */
  archive: StatementSubject | undefined
  /** Absolute path of the file of signatures, which may not exist. */
  bundle: string
  /** Absolute paths of all files with signatures, which may not exist. */
  bundles: readonly string[]
}

const MANIFEST_NAMES = ['skill.toml', 'SKILL.md']

/** Reads and hashes the folder of a skill, or an archive. */
export async function readArtifact(context: Context, call: CommandLine): Promise<FoundArtifact> {
  const [reference = ''] = call.args
  const path = resolve(context.cwd, reference)
  const isArchive =
    !MANIFEST_NAMES.includes(basename(path)) &&
    statSync(path, { throwIfNoEntry: false })?.isFile() === true
  const found = isArchive
    ? await readPackedSkill(path)
    : await readSkillFolder(await findSkillFolder(context, reference), reference)
  const { manifest, files } = found
  return {
    ...found,
    name: manifest && `${manifest.name}@${manifest.version}`,
    digest: digestContent(files),
    ...locateBundles(context, call, found),
  }
}

type ReadSkill = Omit<FoundArtifact, 'name' | 'digest' | 'bundle' | 'bundles'>

async function readSkillFolder(path: string, reference: string): Promise<ReadSkill> {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SkillsError('file/not-found', `There is no skill and no archive "${reference}"`, {
      hint: 'Type "skills list --long" to see names and folders',
    })
  }
  const files = await readContent(path)
  return { path, files, manifest: parseManifest(readSkillFiles(path)), archive: undefined }
}

/** The bytes that are hashed are those that are unpacked, in memory. */
async function readPackedSkill(path: string): Promise<ReadSkill> {
  const bytes = readUpTo(path, DOWNLOAD_LIMITS.archiveBytes)
  if (!bytes) throw archiveTooLargeError('archiveBytes', DOWNLOAD_LIMITS)
  const unpacked = await readArchive(bytes)
  const packageUrl = findPackageUrl(unpacked)
  // A package of npm may have skills in folders, and its attestations are about all of it.
  const isPackage = packageUrl !== undefined && !unpacked.some(isPackedSkill)
  const files = isPackage ? unpacked : removeWrapper(unpacked)
  const archive = { name: basename(path), digest: `sha256:${hash('sha256', bytes)}` }
  return {
    path,
    files: describeFiles(files),
    manifest: parseManifest(parsePackedManifests(files)),
    archive,
    archiveDigest: archive.digest,
    otherDigests: [`sha512:${hash('sha512', bytes)}`],
    archiveBytes: bytes,
    packageUrl,
  }
}

function isPackedSkill({ path }: PackedFile): boolean {
  return path === 'package/SKILL.md'
}

function parseManifest(source: Parameters<typeof toManifest>[0]): Manifest | undefined {
  if (!source.toml && !source.markdown) return undefined
  const { manifest, problems } = toManifest(source)
  return problems.length === 0 ? manifest : undefined
}

/** The file of --bundle, or those next to the artifact; never one within the skill. */
function locateBundles(
  context: Context,
  call: CommandLine,
  { path, archive }: ReadSkill,
): Pick<FoundArtifact, 'bundle' | 'bundles'> {
  const option = getTextOption(call, 'bundle')
  if (option === undefined) {
    return { bundle: `${path}${BUNDLE_EXTENSION}`, bundles: listBundleFiles(path, archive?.digest) }
  }
  const file = resolve(context.cwd, option)
  if (!archive && !relative(path, file).startsWith('..')) {
    throw new SkillsError('usage/invalid', `The signatures "${option}" are inside the skill`, {
      hint: 'Keep them next to it: what is inside is what is signed',
    })
  }
  return { bundle: file, bundles: [file] }
}
