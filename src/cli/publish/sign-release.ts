import type { CommitFacts } from '../../core/publishing/check-commit.ts'
import type { SkillRelease } from '../../core/publishing/targets/publish-target.ts'
import { formatEnvelope } from '../../core/signing/envelope/dsse.ts'
import { signArtifact } from '../../core/signing/sign-artifact.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import type { VetResult } from '../../core/signing/statement/vet-result.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserKeys } from '../signing/open-stores.ts'
import { askPassphrase } from '../signing/passphrase.ts'
import { VERSION } from '../version.ts'
import type { ReleaseTests } from './run-release-tests.ts'

/** Facts that the statements of a release have. */
export interface SignedFacts {
  tests: ReleaseTests
  commit: CommitFacts | undefined
  vet: VetResult
}

/** Signs the release, the verdict about it, and its test results if tests ran; undefined without --sign. */
export async function signRelease(
  context: Context,
  call: CommandLine,
  { release, tests, commit, vet }: SignedFacts & { release: SkillRelease },
): Promise<{ bundle: Uint8Array; key: string } | undefined> {
  const name = getTextOption(call, 'sign')
  if (name === undefined) return undefined
  const source = getTextOption(call, 'source')
  const repo = source === undefined ? undefined : parseSource(source)
  const key = await openUserKeys(context).open(
    name,
    async () => await askPassphrase(context, call, { key: name, isNew: false }),
  )
  const subjects = [
    { name: `${release.skill}@${release.version}`, digest: release.tree },
    ...release.archives.map(({ file, digest }) => ({ name: file, digest })),
  ]
  const facts = {
    signedAt: new Date().toISOString(),
    toolVersion: VERSION,
    files: release.entries,
    manifest: release.manifest,
    source: repo === undefined ? undefined : { repo, commit: commit?.commit },
  }
  const envelopes = signArtifact({ subjects, release: facts, tests: tests.statement, vet }, key)
  const text = envelopes.map((each) => `${formatEnvelope(each)}\n`).join('')
  return { bundle: Buffer.from(text), key: key.id }
}
