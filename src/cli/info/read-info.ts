import type { SignatureSummary } from '../../core/signing/verify/summarize-signature.ts'
import { openTokenizer } from '../../core/tokens/count-tokens.ts'
import { reportTokens, type SkillTokens } from '../../core/tokens/token-report.ts'
import type { StagedFacts } from '../../core/installing/installer/candidate.ts'
import { inspectSignatures } from '../../core/installing/installer/check-signatures.ts'
import { examineStaged } from '../../core/installing/installer/examine-staged.ts'
import { readLockFile, type LockedSkill } from '../../core/installing/lock-file.ts'
import { prepareSkill, type PreparedSkill } from '../../core/installing/prepare-skill.ts'
import { BUILTIN_SKILLS } from '../../core/open-services.ts'
import type { GitRepository } from '../../core/git/open-repository.ts'
import { writeTarGz } from '../../core/packing/write/write-tar.ts'
import type { CheckedAttestation } from '../../core/signing/verify/check-attestation.ts'
import { compareContent, type ContentChanges } from '../../core/signing/verify/compare-content.ts'
import { openRepository } from '../../core/skills/repository/open-repository.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import type { SkillSourcePlace } from '../../core/sources/source-place.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openInstaller } from '../install/open-installer.ts'
import { withStagedFiles } from './staged-files.ts'

/** Facts about a skill of a source. Nothing of it is installed or executed. */
export interface SkillInfo extends StagedFacts {
  source: string
  resolved: string
  archive: string | undefined
  skill: PreparedSkill
  description: string
  signers: readonly string[]
  signature: SignatureSummary
  attestations: readonly CheckedAttestation[]
  /** Reason for which "skills install" refuses its signatures. */
  refusal: string | undefined
  yanked: string | undefined
  sizes: { files: number; bytes: number; packed: number }
  tokens: SkillTokens | undefined
  installed: { skill: LockedSkill; changes: ContentChanges } | undefined
}

export interface InfoRequest {
  source: string
  place: SkillSourcePlace
  /** The repository of the place, if it is open. */
  repository?: GitRepository
}

/** Fetches a skill into memory and a temporary folder, which is removed. */
export async function readInfo(
  context: Context,
  call: CommandLine,
  { source, place, repository }: InfoRequest,
): Promise<SkillInfo> {
  const installer = await openInstaller(context, call)
  const { places, signal, env, caller } = installer
  const fetched = await caller.fetching(
    source,
    async () => await fetchSource(place, { signal, env, repository }),
  )
  const { files, resolved, archiveDigest, yanked } = fetched
  const skill = prepareSkill(files)
  const before = readLockFile(places.lock).find(({ name }) => name === skill.name)
  return {
    source,
    resolved,
    archive: archiveDigest,
    skill,
    yanked,
    sizes: {
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      packed: (await writeTarGz(files)).length,
    },
    installed: before && { skill: before, changes: compareContent(before.files, skill.files) },
    ...(await readSignatures(installer, { skill, fetched, place })),
    ...(await withStagedFiles({ folder: skill.folder, files }, async (dir) => ({
      ...(await countTokens(dir)),
      ...(await examineStaged(installer, { dir, source, neverRuns: true })),
    }))),
  }
}

async function readSignatures(
  ...request: Parameters<typeof inspectSignatures>
): Promise<Pick<SkillInfo, 'signers' | 'attestations' | 'signature' | 'refusal'>> {
  const { refusal, ...found } = await inspectSignatures(...request)
  return { ...found, refusal: refusal?.message }
}

async function countTokens(dir: string): Promise<Pick<SkillInfo, 'tokens' | 'description'>> {
  const repository = openRepository({ roots: [dir], builtin: BUILTIN_SKILLS })
  const entries = (await repository.list()).filter((entry) => entry.dir === dir)
  const { skills } = await reportTokens(repository, entries, await openTokenizer('o200k'))
  return { tokens: skills[0], description: entries[0]?.description ?? '' }
}
