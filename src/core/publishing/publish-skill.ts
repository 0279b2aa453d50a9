import { relative } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { describeFiles } from '../packing/packed-file.ts'
import { readSkillFiles } from '../packing/read-skill-files.ts'
import type { VetResult } from '../signing/statement/vet-result.ts'
import { digestContent } from '../skills/content/content-manifest.ts'
import { DEFAULT_VERSION } from '../skills/manifest/fields.ts'
import { vetFolder } from '../vetting/index.ts'
import { buildRelease, type BuiltRelease } from './build-release.ts'
import { checkCommit } from './check-commit.ts'
import { checkLint, type LintScope } from './check-lint.ts'
import { checkVersion, type VersionCheck } from './check-version.ts'
import { publishRelease } from './publish-release.ts'
import {
  signRelease,
  type ReleaseSigner,
  type ReleaseTests,
  type SignedFacts,
} from './sign-release.ts'
import type {
  PlannedWrite,
  PublishCall,
  PublishTarget,
  SkillRelease,
} from './targets/publish-target.ts'

interface PublishRequest extends LintScope {
  folder: string
  target: PublishTarget
  call: PublishCall
  limits: { maxFiles: number; maxBytes: number }
  options: PublishOptions
  /** Version of this program, for signed statements. */
  toolVersion: string
  /** Undefined for a release without signatures. */
  signer: ReleaseSigner | undefined
  caller: PublishCaller
}

interface PublishOptions {
  /** Publishes files that are not committed. */
  allowDirty: boolean
  /** Accepts a version step that is smaller than the changes need. */
  allowSmallStep: boolean
  skipTests: boolean
  /** Plans the writes, and writes nothing. */
  dryRun: boolean
}

/** Reports of a publication. */
export interface PublishCaller {
  note(text: string): void
  /** Runs all cases of a skill in sandboxes, and refuses a failed one. */
  runTests(skill: { folder: string; skill: string }): Promise<ReleaseTests>
}

/** The result of a publication. `present`: nothing was left to write. */
export interface Publication extends Omit<SignedFacts, 'vet'> {
  status: 'published' | 'present' | 'planned'
  built: BuiltRelease
  version: VersionCheck
  /** Id of the key that signed. */
  key: string | undefined
  writes: readonly PlannedWrite[]
}

const SKIPPED_TESTS: ReleaseTests = { status: 'skipped', cases: 0, statement: undefined }

/** Publishes a skill: one build, all checks, one target, and a comparison of what it returns. */
export async function publishSkill(request: PublishRequest): Promise<Publication> {
  const { folder, target, call, limits, options, config, env, caller } = request
  await checkLint(request, [folder], { verb: 'publish' })
  const built = await buildRelease(folder, { ...limits, formats: target.formats })
  const { release } = built
  target.check?.(release)
  if (release.version === DEFAULT_VERSION) {
    caller.note(
      `Warning: ${DEFAULT_VERSION} is the version of a skill that names none, and can be published once: write one in skill.toml, or in SKILL.md below metadata`,
    )
  }
  const commit = options.allowDirty ? undefined : await checkCommit({ folder, env })
  const rules = { python: config.run.python, env, allowsSmallStep: options.allowSmallStep }
  const version = await checkVersion({ target, release }, rules, call)
  if (version.status === 'present') {
    const writes = await target.plan(release, call)
    if (writes.every(({ action }) => action === 'keep')) {
      const tests = SKIPPED_TESTS
      return { status: 'present', built, version, tests, commit, key: undefined, writes }
    }
  }
  const tests = await testRelease(request, release)
  const vet = vetRelease(request)
  return await finish(request, { built, version, tests, commit, vet })
}

async function finish(
  { target, call, options, signer }: PublishRequest,
  { vet, ...facts }: SignedFacts & Pick<Publication, 'built' | 'version'>,
): Promise<Publication> {
  const { built } = facts
  const signed = signer && (await signRelease(signer, built.release, { ...facts, vet }))
  const release = { ...built.release, bundle: signed?.bundle }
  const writes = options.dryRun
    ? await target.plan(release, call)
    : await publishRelease(target, release, call)
  const status = options.dryRun ? 'planned' : 'published'
  return { ...facts, status, built: { ...built, release }, key: signed?.key, writes }
}

/** Others see this verdict before they install the skill. */
function vetRelease({ folder, cwd, caller, toolVersion }: PublishRequest): VetResult {
  const { verdict, findings, read } = vetFolder(folder)
  if (verdict !== 'nothing found') {
    const shown = quoteShellWord(relative(cwd, folder) || '.')
    caller.note(`Warning: skills vet calls the skill ${verdict}: type "skills vet ${shown}"`)
  }
  const counted = findings.filter(({ severity }) => severity !== 'info')
  const rules = [...new Set(counted.map(({ rule }) => rule))]
  return { verdict, rules, files: read.length, toolVersion }
}

/** Runs the tests, and refuses a folder that they or another program changed. */
async function testRelease(
  { folder, options, caller }: PublishRequest,
  release: SkillRelease,
): Promise<ReleaseTests> {
  if (options.skipTests) return SKIPPED_TESTS
  const tests = await caller.runTests({ folder, skill: release.skill })
  const { files } = await readSkillFiles(folder, { maxFiles: Infinity, maxBytes: Infinity })
  if (digestContent(describeFiles(files)) === release.tree) return tests
  throw new SkillsError('skill/changed', 'The files of the skill changed while its tests ran', {
    hint: 'Try again when no other program writes to the skill',
  })
}
