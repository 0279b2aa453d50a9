import {
  checkInstalled,
  isIntact,
  type InstalledReport,
  type InstalledSkill,
} from '../../core/installing/check-installed.ts'
import { formatInstalledPath, type InstallPlaces } from '../../core/installing/install-places.ts'
import type { PendingSkillRecord } from '../../core/installing/pending/pending-record.ts'
import { listPending } from '../../core/installing/pending/pending-skills.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserTrust } from '../signing/open-stores.ts'
import { findLockedProblem } from '../../core/installing/installer/check-signatures.ts'
import { summarizeInstalled, type InstalledSignature } from '../signing/summarize-installed.ts'
import { openPlaces } from './open-places.ts'

/** Options that are about the signatures of one skill. */
const SKILL_OPTIONS = ['bundle', 'source', 'trustedRoot', 'expect'] as const

/** `skills verify` without a skill: compares all installed files with the lock. Changes nothing. */
export async function verifyInstalled(context: Context, call: CommandLine): Promise<number> {
  const option = SKILL_OPTIONS.find((name) => call.options[name] !== undefined)
  if (option !== undefined) {
    const flag = option === 'trustedRoot' ? 'trusted-root' : option
    throw new SkillsError('usage/invalid', `--${flag} needs the name of a skill`, {
      hint: 'Type "skills verify <skill>", or omit the option',
    })
  }
  const { places } = await openPlaces(context, call)
  const report = await checkInstalled(places)
  const pending = listPending(places)
  const { skills, own, shadowing, unfinished } = report
  const trust = openUserTrust(context).read()
  const denied = skills.flatMap(({ skill }) => {
    const problem = findLockedProblem(trust, skill, places.base)
    return problem === undefined ? [] : [{ name: skill.name, problem }]
  })
  const signed = await Promise.all(
    skills.map(async (each) => ({
      ...each,
      signature: await summarizeInstalled(context, call, { places, skill: each.skill }),
    })),
  )
  const isUnchanged =
    skills.every(isIntact) && shadowing.length + unfinished.length + denied.length === 0
  if (context.global.json) {
    context.document('skills.installed/v1', {
      ok: isUnchanged,
      skills: signed.map(({ skill, state, changes, problem, agents, signature }) => ({
        name: skill.name,
        version: skill.version,
        tree: skill.tree,
        state,
        signature,
        ...changes,
        ...(problem !== undefined && { problem }),
        agents,
      })),
      own,
      shadowing,
      unfinished,
      pending: pending.map(({ name, version, tree }) => ({ name, version, tree })),
      denied,
    })
  } else {
    context.print(formatInstalled(places, { ...report, skills: signed, pending, denied }))
    const next = findNextStep(report)
    if (next !== undefined) context.note(next)
  }
  return isUnchanged ? 0 : 1
}

/** A skill whose signers, or whose source, the trust list does not accept now. */
interface DeniedSkill {
  name: string
  problem: string
}

interface VerifiedReport extends InstalledReport {
  skills: readonly (InstalledSkill & { signature: InstalledSignature })[]
  pending: readonly PendingSkillRecord[]
  denied: readonly DeniedSkill[]
}

function formatInstalled(
  places: InstallPlaces,
  { skills, own, shadowing, unfinished, pending, denied }: VerifiedReport,
): string {
  const lines = skills.flatMap(({ skill, state, changes, problem, agents, signature }) => [
    `${state} ${skill.name}@${skill.version} ${skill.tree}`,
    `  ${toPrintable(signature.text)}`,
    ...(problem === undefined ? [] : [`  ${toPrintable(problem)}`]),
    ...Object.entries(changes ?? {}).flatMap(([kind, paths]: [string, readonly string[]]) =>
      paths.map((path) => `  ${kind} ${toPrintable(path)}`),
    ),
    ...agents.map((each) => `  ${each.state} ${each.mode} ${toPrintable(each.path)}`),
  ])
  const showPath = (name: string) => formatInstalledPath(places, toPrintable(name))
  const extra = [
    ...own.map((name) => `own ${showPath(name)}`),
    ...shadowing.map((name) => `shadowing ${showPath(name)} (has the name of an installed skill)`),
  ]
  const open = unfinished.map(
    (name) => `unfinished ${showPath(name)} (if no installation is running: skills install)`,
  )
  const waiting = pending.map(
    ({ name, version, tree }) =>
      `pending ${name}@${toPrintable(version)} ${tree} (to install it: skills install --pending ${name})`,
  )
  const refused = denied.map(({ name, problem }) => `denied ${name}: ${toPrintable(problem)}`)
  const all = [...lines, ...refused, ...extra, ...open, ...waiting]
  return all.join('\n') || 'No skill is installed here'
}

/** The command that repairs what the report has found. */
function findNextStep({ skills }: InstalledReport): string | undefined {
  if (skills.some(({ state }) => state === 'changed' || state === 'link')) {
    return 'Type "skills install --yes" to replace these files by those of skills.lock'
  }
  const isMissing = ({ state, agents }: InstalledSkill) =>
    state === 'missing' || agents.some((each) => each.state === 'missing')
  return skills.some(isMissing) ? 'Type "skills install" to restore what is missing' : undefined
}
