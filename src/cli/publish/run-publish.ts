import { getFlagOption, getTextOption, toFlag, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { readPackOptions } from '../pack/pack-options.ts'
import { describeExceeded } from '../pack/print-pack.ts'
import { openCallTarget, readPublishCall, readTargetOptions } from './publish-call.ts'
import { runReleaseTests } from './run-release-tests.ts'
import { openConfig } from '../runtime.ts'
import { openUserKeys } from '../signing/open-stores.ts'
import { askPassphrase } from '../signing/passphrase.ts'
import { noteExposedSecrets } from '../lint/note-exposed-secrets.ts'
import { formatCount } from '../ui/text.ts'
import { VERSION } from '../version.ts'
import { findForeignOption } from '../../core/publishing/open-target.ts'
import { publishSkill, type Publication } from '../../core/publishing/publish-skill.ts'
import type { ReleaseSigner } from '../../core/publishing/sign-release.ts'
import type { PlannedWrite, PublishTarget } from '../../core/publishing/targets/publish-target.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'

/** `skills publish`. */
export async function runPublish(context: Context, call: CommandLine): Promise<number> {
  context.handleInterruption?.()
  checkTargetOptions(call)
  const folder = await findSkillFolder(context, call.args[0] ?? '')
  const target = await openCallTarget(context, call, folder)
  const opened = await openConfig(context)
  await noteExposedSecrets(context, opened.config.secrets.file)
  const publication = await publishSkill({
    ...opened,
    folder,
    target,
    cwd: context.cwd,
    env: context.env,
    call: readPublishCall(context, call),
    limits: readPackOptions({ ...call, options: { ...call.options, format: undefined } }),
    options: {
      allowDirty: getFlagOption(call, 'allowDirty'),
      allowSmallStep: getFlagOption(call, 'allowSmallStep'),
      skipTests: call.options['tests'] === false,
      dryRun: getFlagOption(call, 'dryRun'),
    },
    toolVersion: VERSION,
    signer: findSigner(context, call),
    caller: {
      note: (text) => context.note(text),
      runTests: async (skill) => await runReleaseTests(context, skill),
    },
  })
  return reportPublication(context, target, publication)
}

function findSigner(context: Context, call: CommandLine): ReleaseSigner | undefined {
  const name = getTextOption(call, 'sign')
  if (name === undefined) return undefined
  const ask = async () => await askPassphrase(context, call, { key: name, isNew: false })
  return {
    source: getTextOption(call, 'source'),
    openKey: async () => await openUserKeys(context).open(name, ask),
  }
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

/** Prints the result; returns the exit status. */
export function reportPublication(
  context: Context,
  target: PublishTarget,
  publication: Publication,
): number {
  const { built, tests, status } = publication
  if (context.global.json) {
    context.document('skills.publish/v1', toRecord(target, publication))
    return 0
  }
  const { skill, version, tree } = built.release
  const what = toPrintable(`${skill}@${version} ${tree}`)
  const label = toPrintable(target.label)
  const titles = {
    published: `published ${what} to ${label}`,
    present: `${what} is already there: ${label}`,
    planned: `would publish ${what} to ${label}`,
  }
  context.print(titles[status])
  if (status === 'present') return 0
  if (status === 'planned') {
    for (const write of publication.writes) context.print(`  ${formatWrite(write)}`)
  } else {
    context.print(`  ${summarizeWrites(publication.writes)}`)
    context.print(`Next: ${toPrintable(describeNextStep(target.label, publication))}`)
  }
  if (tests.status === 'passed') context.note(`Tests: ${formatCount(tests.cases, 'case')} passed`)
  if (tests.status === 'skipped') context.note('Warning: the tests were skipped (--no-tests)')
  if (tests.status === 'none') context.note('Warning: the skill has no tests')
  if (publication.key !== undefined) context.note(`Signed with the key ${publication.key}`)
  for (const limit of built.exceeded) context.note(`Warning: ${describeExceeded(limit)}`)
  return 0
}

/** `18 files, 42.1 KiB, fetched back and compared`; `--json` lists each. */
function summarizeWrites(writes: readonly PlannedWrite[]): string {
  const bytes = writes.reduce((sum, { size = 0 }) => sum + size, 0)
  const size = bytes === 0 ? '' : `, ${formatBytes(bytes)}`
  return `${formatCount(writes.length, 'write')}${size}: fetched back and compared`
}

function describeNextStep(label: string, { built: { release }, writes }: Publication): string {
  const { name, skill, version } = release
  const scheme = /^\w+:/.exec(label)?.[0] ?? ''
  const tag = writes.find(({ path }) => path.startsWith('refs/tags/'))?.path.split(' ')[0]
  const steps: Readonly<Record<string, string>> = {
    'site:': `put ${label.slice(5)} on a web server; others type "skills install https://<its address>#${name}"`,
    'git:':
      tag !== undefined && !writes.some(({ path }) => path.endsWith(` ${tag}`))
        ? `git push origin ${tag}`
        : 'others type "skills install <owner>/<repository>"',
    'npm:': `others type "skills install ${label}"`,
    'oci:': `others type "skills install ${label}:${version}"`,
  }
  return steps[scheme] ?? `skills exec ${skill} --url ${label}`
}

function formatWrite({ action, path, size, digest }: PlannedWrite): string {
  const facts = [size === undefined ? '' : formatBytes(size), digest ?? '']
  return [action.padEnd(7), toPrintable(path), ...facts].filter((each) => each !== '').join('  ')
}

function toRecord(
  target: PublishTarget,
  { status, built, version, tests, commit, key, writes }: Publication,
) {
  const { release, exceeded } = built
  return {
    status,
    target: target.label,
    skill: release.skill,
    version: release.version,
    tree: release.tree,
    newest_before: version.newest ?? null,
    step: version.needed ?? null,
    tests: { status: tests.status, cases: tests.cases },
    commit: commit?.commit ?? null,
    key: key ?? null,
    archives: release.archives.map(({ format, file, bytes, digest }) => ({
      format,
      file,
      size: bytes.length,
      digest,
    })),
    writes,
    exceeded_limits: exceeded,
  }
}
