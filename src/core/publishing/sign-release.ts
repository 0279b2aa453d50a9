import { formatEnvelope, type SigningKey } from '../signing/envelope/dsse.ts'
import { signArtifact } from '../signing/sign-artifact.ts'
import type { StatementSubject } from '../signing/statement/statement.ts'
import type { TestResult } from '../signing/statement/test-result.ts'
import type { VetResult } from '../signing/statement/vet-result.ts'
import { parseSource } from '../signing/trust/source.ts'
import type { CommitFacts } from './check-commit.ts'
import type { SkillRelease } from './targets/publish-target.ts'

/** Result of the tests of a release. `none`: the skill has no tests. */
export interface ReleaseTests {
  status: 'passed' | 'none' | 'skipped'
  /** Number of cases. */
  cases: number
  /** For a signed statement; undefined unless tests passed. */
  statement: { result: TestResult; report: StatementSubject } | undefined
}

/** Facts that the statements of a release have. */
export interface SignedFacts {
  tests: ReleaseTests
  commit: CommitFacts | undefined
  vet: VetResult
}

/** The key that signs, and what the signature says besides the facts. */
export interface ReleaseSigner {
  openKey(): Promise<SigningKey>
  /** Origin of the files, such as `github:owner/repo`. */
  source: string | undefined
}

/** Signs the release, the verdict about it, and its test results if tests ran. */
export async function signRelease(
  signer: ReleaseSigner,
  release: SkillRelease,
  { tests, commit, vet }: SignedFacts,
): Promise<{ bundle: Uint8Array; key: string }> {
  const { source } = signer
  const repo = source === undefined ? undefined : parseSource(source)
  const key = await signer.openKey()
  const subjects = [
    { name: `${release.skill}@${release.version}`, digest: release.tree },
    ...release.archives.map(({ file, digest }) => ({ name: file, digest })),
  ]
  const facts = {
    signedAt: new Date().toISOString(),
    toolVersion: vet.toolVersion,
    files: release.entries,
    manifest: release.manifest,
    source: repo === undefined ? undefined : { repo, commit: commit?.commit },
  }
  const envelopes = signArtifact({ subjects, release: facts, tests: tests.statement, vet }, key)
  const text = envelopes.map((each) => `${formatEnvelope(each)}\n`).join('')
  return { bundle: Buffer.from(text), key: key.id }
}
