import { storeSignature } from '../../core/installing/installed-signatures.ts'
import { isAttested } from '../../core/sources/fetched-skill.ts'
import {
  checkInstalled,
  type InstalledReport,
  type InstalledSkill,
} from '../../core/installing/check-installed.ts'
import { lockDifferenceError } from '../../core/installing/prepare-skill.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { formatInstalledPath, type InstallPlaces } from '../../core/installing/install-places.ts'
import { removeStaged, stageFiles } from '../../core/installing/stage-files.ts'
import { applyChange } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserArchives, openUserTrust } from '../signing/open-stores.ts'
import { agreeToLocked } from './agree-to-locked.ts'
import { deniedInstallError, findLockedProblem } from './check-signatures.ts'
import { chooseAgents } from './choose-agents.ts'
import { fetchLocked, type LockedSource } from './fetch-locked.ts'
import { reportInstalled } from './report-installed.ts'
import { mergeAgents, type LockedAgent } from '../../core/installing/agents/locked-agent.ts'

/** Installs what the lock has and the disk lacks. All sources are checked before the first change. */
export async function restoreInstalled(
  context: Context,
  call: CommandLine,
  places: InstallPlaces,
): Promise<number> {
  refuseSourceOptions(call)
  const agents = chooseAgents(context, call, { places })
  const report = await checkInstalled(places)
  checkEntries(context, call, { places, skills: report.skills })
  refuseReplacements(call, places, report)
  const wanted = report.skills
    .filter(({ state }) => state !== 'unchanged')
    .map(({ skill }) => skill)
  const fetched = await installAll(context, call, { places, wanted })
  const linked = await repairAgents(places, (await checkInstalled(places)).skills, agents)
  const changed = new Map([...wanted, ...linked].map((each) => [each.name, each]))
  reportInstalled(
    context,
    places,
    [...changed.values()].map((skill) => {
      // Skills whose links were repaired were not fetched, and have the signers of the lock.
      const checked = fetched.find(({ locked }) => locked.name === skill.name)
      return {
        skill,
        signers: checked?.signers ?? skill.signers,
        attestations: checked?.attestations ?? [],
        signature: checked?.signature,
      }
    }),
  )
  return 0
}

/** Options that are about one source would have no effect. */
function refuseSourceOptions(call: CommandLine): void {
  const flags = {
    trust: '--trust',
    skill: '--skill',
    all: '--all',
    allowDowngrade: '--allow-downgrade',
  }
  const flag = Object.entries(flags).find(([name]) => call.options[name])?.[1]
  if (flag === undefined) return
  throw new SkillsError('usage/invalid', `${flag} needs the source of a skill`, {
    hint: 'Name a source: skills install ./folder, or omit the option',
  })
}

/** Refuses entries that are wrong, or that the trust list does not accept any more. */
function checkEntries(
  context: Context,
  call: CommandLine,
  { places, skills }: { places: InstallPlaces; skills: readonly InstalledSkill[] },
): void {
  if (skills.length === 0) {
    throw new SkillsError('skill/not-found', 'There is no skill in skills.lock', {
      hint:
        call.options['frozen'] === true
          ? 'Install skills, and commit skills.lock: skills install ./folder, or a URL'
          : 'Name a source: skills install ./folder, or a URL',
    })
  }
  const trust = openUserTrust(context).read()
  for (const { skill, state } of skills) {
    if (state === 'lock-differs') throw lockDifferenceError(skill, 'name, version or rights')
    const problem = findLockedProblem(trust, skill, places.base)
    if (problem !== undefined) throw deniedInstallError(`"${skill.name}": ${problem}`)
  }
}

/** Refuses to replace changed files without --yes, and always with --frozen. */
function refuseReplacements(
  call: CommandLine,
  places: InstallPlaces,
  { skills, shadowing }: InstalledReport,
): void {
  const replaced = skills.filter(({ state }) => state === 'changed' || state === 'link')
  if (call.options['frozen'] === true) {
    const others = [...replaced, ...skills.filter(hasForeignPlace)]
    return refuseOthers(places, [...others.map(({ skill }) => skill.folder), ...shadowing])
  }
  const [first] = replaced
  if (first === undefined || call.options['yes'] === true) return
  throw new SkillsError(
    'skill/changed',
    `The files of "${first.skill.name}" were changed after the installation`,
    {
      hint: 'Type "skills verify" to list them, and "skills install --yes" to replace them',
    },
  )
}

function hasForeignPlace({ agents }: InstalledSkill): boolean {
  return agents.some(({ state }) => state === 'changed' || state === 'outside')
}

function refuseOthers(places: InstallPlaces, [folder]: readonly string[]): void {
  if (folder === undefined) return
  throw new SkillsError(
    'skill/changed',
    `The folder "${formatInstalledPath(places, folder)}" is not as skills.lock has it`,
    {
      hint: 'Type "skills verify" to list the differences',
    },
  )
}

interface WantedSkills {
  places: InstallPlaces
  wanted: readonly LockedSkill[]
}

/** Fetches and checks all skills, and asks about them, before the first folder changes. */
async function installAll(
  context: Context,
  call: CommandLine,
  { places, wanted }: WantedSkills,
): Promise<readonly LockedSource[]> {
  const fetched: LockedSource[] = []
  for (const locked of wanted) {
    fetched.push(await fetchLocked(context, call, { locked, projectDir: places.base }))
  }
  const ready: { locked: LockedSkill; staged: string }[] = []
  try {
    for (const each of fetched) {
      const staged = await stageFiles(places, each.locked.folder, each.files)
      ready.push({ locked: each.locked, staged })
      await agreeToLocked(context, call, { ...each, staged })
    }
    for (const { skill, fetched: each } of fetched) {
      await storeSignature(places, skill.tree, each.envelopes)
      if (isAttested(each)) await openUserArchives(context).add(skill.tree, each)
    }
    const dropsEdits = call.options['yes'] === true && call.options['frozen'] !== true
    for (const each of ready) await installLocked(places, { ...each, dropsEdits })
    return fetched
  } finally {
    for (const { staged } of ready) removeStaged(staged)
  }
}

/** Replaces one folder by the files of its lock entry. */
async function installLocked(
  places: InstallPlaces,
  { locked, staged, dropsEdits }: { locked: LockedSkill; staged: string; dropsEdits: boolean },
): Promise<void> {
  const update = (skills: readonly LockedSkill[]) => {
    const now = skills.find(({ name }) => name === locked.name)
    if (now?.tree === locked.tree) return skills
    throw new SkillsError(
      'skill/changed',
      `The lock of "${locked.name}" changed during the installation`,
      {
        hint: 'Type "skills install" again',
      },
    )
  }
  await applyChange(places, { folder: locked.folder, staged, dropsEdits, update })
}

/** Adds agents to installed skills, and creates missing links and copies. Returns the changed skills. */
async function repairAgents(
  places: InstallPlaces,
  skills: readonly InstalledSkill[],
  more: readonly LockedAgent[],
): Promise<LockedSkill[]> {
  const changed: LockedSkill[] = []
  for (const { skill, agents } of skills) {
    const before = skill.agents ?? []
    const merged = mergeAgents(before, more)
    const isSame = JSON.stringify(merged) === JSON.stringify(mergeAgents(before, []))
    if (isSame && agents.every(({ state }) => state === 'unchanged')) continue
    await applyChange(places, {
      folder: skill.folder,
      staged: undefined,
      keepsFolder: true,
      dropsEdits: false,
      update: (locked) =>
        locked.map((each) =>
          each.name === skill.name
            ? { ...each, agents: mergeAgents(each.agents ?? [], more) }
            : each,
        ),
    })
    changed.push({ ...skill, agents: merged })
  }
  return changed
}
