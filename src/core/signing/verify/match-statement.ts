import { parseSource } from '../trust/source.ts'
import type { SignerContext } from './check-signers.ts'
import type { SignedStatement } from './read-statements.ts'
import type { SignedArtifact, VerificationRequest } from './verification-request.ts'

/** True if a statement is about exactly these files, or about the archive that they come from. */
export function isAbout(
  { artifact, expected }: Pick<VerificationRequest, 'artifact' | 'expected'>,
  statement: SignedStatement,
): boolean {
  const { name, digest } = artifact
  const { release, subjects } = statement
  if (release) {
    const isTree = subjects.some((each) => each.digest === digest)
    return release.tree === digest && isTree && hasNames(statement, [name, expected])
  }
  return namesArchive(artifact, statement) && (expected === undefined || expected === name)
}

/** True if a statement is about an archive that is not here. */
export function isAboutUnknown(
  { hasUnknownArchive }: SignedArtifact,
  { release }: SignedStatement,
): boolean {
  return hasUnknownArchive === true && release === undefined
}

/** True if a statement is about all of these names; an undefined one is any. */
export function hasNames(
  { subjects }: SignedStatement,
  names: readonly (string | undefined)[],
): boolean {
  return names.every((name) => name === undefined || subjects.some((each) => each.name === name))
}

function namesArchive(
  { archiveDigest, otherDigests = [], packageUrl }: SignedArtifact,
  { subjects }: SignedStatement,
): boolean {
  const digests = [archiveDigest, ...otherDigests]
  return subjects.some(
    ({ name, digest }) => digests.includes(digest) && isPackageName(packageUrl, name, digest),
  )
}

/** Registries of npm attest a package by SHA-512 and its URL; others name the file of an archive. */
function isPackageName(packageUrl: string | undefined, name: string, digest: string): boolean {
  if (packageUrl === undefined || name === packageUrl) return true
  return digest.startsWith('sha256:') && !name.startsWith('pkg:')
}

/** Sources that a signer has to be trusted for: that of the download, and those of the statement. */
export function createSignerContext(
  { source, now }: Pick<VerificationRequest, 'source' | 'now'>,
  statement: SignedStatement,
): SignerContext {
  const found = source === undefined ? [] : [parseSource(source)]
  return { now, sources: [...found, ...statement.sources] }
}
