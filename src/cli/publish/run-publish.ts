import { relative } from 'node:path'
import type { VetResult } from '../../core/signing/statement/vet-result.ts'
import { vetFolder } from '../../core/vetting/index.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { VERSION } from '../version.ts'
import { buildRelease, type BuiltRelease } from '../../core/publishing/build-release.ts'
import { checkCommit } from '../../core/publishing/check-commit.ts'
import { checkVersion, type VersionCheck } from '../../core/publishing/check-version.ts'
import { findForeignOption } from '../../core/publishing/open-target.ts'
import { publishRelease } from '../../core/publishing/publish-release.ts'
import type {
  PlannedWrite,
  PublishCall,
  PublishTarget,
  SkillRelease,
} from '../../core/publishing/targets/publish-target.ts'
import { describeFiles } from '../../core/packing/packed-file.ts'
import { readSkillFiles } from '../../core/packing/read-skill-files.ts'
import { digestContent } from '../../core/skills/content/content-manifest.ts'
import { DEFAULT_VERSION } from '../../core/skills/manifest/fields.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, toFlag, type CommandLine, getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { checkLint } from '../pack/check-lint.ts'
import { readPackOptions } from '../pack/pack-options.ts'
import { openConfig } from '../runtime.ts'
import { openCallTarget, readPublishCall, readTargetOptions } from './publish-call.ts'
import { reportPublication } from './report-publication.ts'
import { runReleaseTests, SKIPPED_TESTS, type ReleaseTests } from './run-release-tests.ts'
import { signRelease, type SignedFacts } from './sign-release.ts'

/** `skills publish`: one build, all checks, one target, and a comparison of what it returns. */
export async function runPublish(context: Context, call: CommandLine): Promise<number> {
  context.handleInterruption?.()
  checkTargetOptions(call)
  const folder = await findSkillFolder(context, call.args[0] ?? '')
  const target = await openCallTarget(context, call, folder)
  const publishCall = readPublishCall(context, call)
  await checkLint(context, [folder], { verb: 'publish' })
  const limits = readPackOptions({ ...call, options: { ...call.options, format: undefined } })
  const built = await buildRelease(folder, { ...limits, formats: target.formats })
  const { release } = built
  target.check?.(release)
  if (release.version === DEFAULT_VERSION) {
    context.note(
      `${DEFAULT_VERSION} is the version of a skill that names none, and can be published once: name one in SKILL.md, as version below metadata`,
    )
  }
  const commit = getFlagOption(call, 'allowDirty')
    ? undefined
    : await checkCommit({ folder, env: context.env })
  const version = await checkReleaseVersion(context, call, { target, release, publishCall })
  if (version.status === 'present') {
    const plan = await target.plan(release, publishCall)
    if (plan.every(({ action }) => action === 'keep')) {
      const tests = { ...SKIPPED_TESTS }
      const facts = { built, version, tests, commit, key: undefined, writes: plan, isDryRun: false }
      return reportPublication(context, target, { ...facts, status: 'present' })
    }
  }
  const tests = await testRelease(context, call, { folder, release })
  const vet = vetRelease(context, folder)
  return await finish(context, call, { target, publishCall, built, version, tests, commit, vet })
}

async function finish(
  context: Context,
  call: CommandLine,
  parts: SignedFacts & {
    target: PublishTarget
    publishCall: PublishCall
    built: BuiltRelease
    version: VersionCheck
  },
): Promise<number> {
  const { target, publishCall, built, version, tests, commit, vet } = parts
  const signed = await signRelease(context, call, { release: built.release, tests, commit, vet })
  const release = { ...built.release, bundle: signed?.bundle }
  const isDryRun = getFlagOption(call, 'dryRun')
  const writes: readonly PlannedWrite[] = isDryRun
    ? await target.plan(release, publishCall)
    : await publishRelease(target, release, publishCall)
  return reportPublication(context, target, {
    built: { ...built, release },
    version,
    tests,
    commit,
    key: signed?.key,
    writes,
    isDryRun,
    status: isDryRun ? 'planned' : 'published',
  })
}

/** Others see this verdict before they install the skill. */
function vetRelease(context: Context, folder: string): VetResult {
  const { verdict, findings, read } = vetFolder(folder)
  if (verdict !== 'nothing found') {
    context.note(
      `Warning: skills vet calls the skill ${verdict}: type "skills vet ${quoteShellWord(relative(context.cwd, folder) || '.')}"`,
    )
  }
  const counted = findings.filter(({ severity }) => severity !== 'info')
  const rules = [...new Set(counted.map(({ rule }) => rule))]
  return { verdict, rules, files: read.length, toolVersion: VERSION }
}

async function checkReleaseVersion(
  context: Context,
  call: CommandLine,
  {
    target,
    release,
    publishCall,
  }: { target: PublishTarget; release: SkillRelease; publishCall: PublishCall },
): Promise<VersionCheck> {
  const { config } = await openConfig(context)
  const rules = {
    python: config.run.python,
    env: context.env,
    allowsSmallStep: getFlagOption(call, 'allowSmallStep'),
  }
  return await checkVersion({ target, release }, rules, publishCall)
}

/** Runs the tests, and refuses a folder that they or another program changed. */
async function testRelease(
  context: Context,
  call: CommandLine,
  { folder, release }: { folder: string; release: SkillRelease },
): Promise<ReleaseTests> {
  if (call.options['tests'] === false) return SKIPPED_TESTS
  const tests = await runReleaseTests(context, { folder, skill: release.skill })
  const { files } = await readSkillFiles(folder, { maxFiles: Infinity, maxBytes: Infinity })
  if (digestContent(describeFiles(files)) === release.tree) return tests
  throw new SkillsError('skill/changed', 'The files of the skill changed while its tests ran', {
    hint: 'Try again when no other program writes to the skill',
  })
}

/** Refuses options that would have no effect. */
function checkTargetOptions(call: CommandLine): void {
  const wrong = findForeignOption(getTextOption(call, 'to') ?? '', readTargetOptions(call))
  if (wrong !== undefined) {
    throw new SkillsError('usage/invalid', `${toFlag(wrong)} has no effect on this target`, {
      hint: `Omit ${toFlag(wrong)}; "skills publish --help" names the targets of each option`,
    })
  }
  if (getTextOption(call, 'sign') !== undefined) return
  const unsigned = ['source', 'passphraseFd'].find((key) => call.options[key] !== undefined)
  if (unsigned === undefined) return
  const flag = unsigned === 'source' ? '--source' : '--passphrase-fd'
  throw new SkillsError('usage/invalid', `${flag} needs --sign`, {
    hint: 'Name the key that signs: --sign release',
  })
}
