import type { Installer } from '../../core/installing/installer/installer.ts'
import {
  askSources,
  previewUpdate,
  type AskedSkill,
} from '../../core/installing/installer/preview-updates.ts'
import { updateSkills, type UpdateResult } from '../../core/installing/installer/update-skills.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { selectLocked } from '../../core/installing/select-locked.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatPlural } from '../../util/quantity.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { toJsonAttestation } from '../signing/attestation-view.ts'
import { formatTable } from '../ui/table.ts'
import { formatCount } from '../ui/text.ts'
import { describeComparison } from './describe-consent.ts'
import { openInstaller } from './open-installer.ts'
import { formatFailure } from './report-installed.ts'

/** `skills update`. */
export async function runUpdate(context: Context, call: CommandLine): Promise<number> {
  const installer = await openInstaller(context, call)
  const isDryRun = getFlagOption(call, 'dryRun')
  if (!isDryRun) await recoverInstall(installer.places)
  const selected = selectLocked(installer.places, call.args)
  if (installer.options.trust.length > 0 && selected.length > 1) {
    throw new SkillsError('usage/invalid', '--trust is the digest of one skill', {
      hint: `Name the skill: skills update ${selected[0]?.name} --trust …`,
    })
  }
  if (isDryRun) return await previewUpdates(context, installer, selected)
  const results = await updateSkills(installer, selected)
  if (context.global.json) {
    context.document('skills.update/v1', { skills: results.map(toUpdateRecord) })
  } else context.print(results.map(formatUpdated).join('\n'))
  const [failed] = results.flatMap((each) => (each.status === 'failed' ? each.error : []))
  return failed?.outcome.exit ?? 0
}

function toUpdateRecord(result: UpdateResult) {
  const { status, locked } = result
  const common = { name: locked.name, status, from: locked.version }
  if (result.status === 'failed') {
    const nothing = { to: null, tree: null, signers: [], attestations: [] }
    const { code, hint } = result.error
    return { ...common, ...nothing, error: { code, message: explain(result), hint: hint ?? null } }
  }
  const { skill, signers, attestations } = result.candidate
  const facts = { signers, attestations: attestations.map(toJsonAttestation) }
  return { ...common, to: skill.version, tree: skill.tree, ...facts }
}

function explain({ error, withdrawn }: Extract<UpdateResult, { status: 'failed' }>): string {
  return withdrawn === undefined
    ? error.message
    : `${error.message}; its publisher withdrew the installed one (${withdrawn})`
}

function formatUpdated(result: UpdateResult): string {
  const { name, version } = result.locked
  switch (result.status) {
    case 'current': {
      return `current ${name}@${version}`
    }
    case 'failed': {
      const failure = { message: explain(result), hint: result.error.hint }
      return formatFailure(`failed ${name}@${version}`, failure)
    }
    case 'updated': {
      const { skill } = result.candidate
      return `updated ${name} ${version} → ${skill.version} ${skill.tree}`
    }
  }
}

interface PreviewedSkill extends AskedSkill {
  /** Reason for which an update would be refused. */
  refused: { code: string; message: string; hint: string | null } | null
}

/** `skills update --dry-run`: a source that cannot be asked is no failure, a refused update is one. */
async function previewUpdates(
  context: Context,
  installer: Installer,
  selected: readonly LockedSkill[],
): Promise<number> {
  const asked = await installer.caller.fetching(
    formatPlural(selected.length, 'source'),
    async () => await askSources(installer, selected),
  )
  const previews: PreviewedSkill[] = []
  let exit = 0
  for (const each of asked) {
    const { comparison, refusal } = await previewUpdate(installer, each)
    if (comparison !== undefined) context.note(describeComparison(comparison))
    exit ||= refusal?.outcome.exit ?? 0
    const refused = refusal
      ? { code: refusal.code, message: refusal.message, hint: refusal.hint ?? null }
      : null
    previews.push({ ...each.skill, refused })
  }
  reportPreviews(context, previews)
  return exit
}

function reportPreviews(context: Context, skills: readonly PreviewedSkill[]): void {
  const unknown = skills.filter(({ status }) => status === 'unknown').length
  const outdated = skills.filter(
    ({ status }) => status !== 'current' && status !== 'unknown',
  ).length
  if (context.global.json) {
    context.document('skills.outdated/v1', { outdated, unknown, skills })
    return
  }
  context.print(formatAsked(context, skills))
  for (const { name, refused } of skills) {
    if (refused) context.print(formatFailure(`refused ${name}`, refused))
  }
  if (skills.some((skill) => hasUpdate(skill) && !skill.refused)) {
    context.note('Type "skills update" to install what you agree to')
  }
}

function formatAsked({ columns, style }: Context, asked: readonly AskedSkill[]): string {
  const rows = asked
    .filter(({ status }) => status !== 'current')
    .map(({ name, installed, available, status, source, problem, withdrawn }) => [
      name,
      installed,
      available ?? '-',
      status,
      toPrintable(problem ?? withdrawn ?? source),
    ])
  const head = ['name', 'installed', 'available', 'status', 'source']
  const table = rows.length === 0 ? '' : formatTable(rows, { columns, head, paintHead: style.dim })
  return [table, summarizeAsked(asked)].filter((part) => part !== '').join('\n\n')
}

function summarizeAsked(asked: readonly AskedSkill[]): string {
  const updatable = asked.filter(hasUpdate).length
  const count = (wanted: AskedSkill['status']) =>
    asked.filter(({ status }) => status === wanted).length
  const [withdrawn, unknown] = [count('withdrawn'), count('unknown')]
  const parts = [
    updatable === 0
      ? 'No other version was found'
      : `${formatCount(updatable, 'skill')} can be updated`,
    ...(withdrawn === 0
      ? []
      : [`the publisher withdrew ${formatCount(withdrawn, 'installed version')}`]),
    ...(unknown === 0 ? [] : [`${formatCount(unknown, 'source')} could not be asked`]),
  ]
  return parts.join('; ')
}

function hasUpdate({ status, available }: AskedSkill): boolean {
  return available !== null && status !== 'current'
}
