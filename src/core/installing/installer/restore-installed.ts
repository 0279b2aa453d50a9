import { SkillsError } from '../../../errors.ts'
import { isAttested } from '../../sources/fetched-skill.ts'
import { mergeAgents, type LockedAgent } from '../agents/locked-agent.ts'
import { checkInstalled, type InstalledReport, type InstalledSkill } from '../check-installed.ts'
import { formatInstalledPath, type InstallPlaces } from '../install-places.ts'
import { storeSignature } from '../installed-signatures.ts'
import type { LockedSkill } from '../lock-file.ts'
import { lockDifferenceError } from '../prepare-skill.ts'
import { removeStaged, stageFiles } from '../stage-files.ts'
import { applyChange } from '../swap-skill.ts'
import type { InstalledResult } from './candidate.ts'
import { deniedInstallError, findLockedProblem } from './check-signatures.ts'
import { chooseAgents } from '../agents/select-agents.ts'
import type { Installer } from './installer.ts'
import { agreeToLocked, fetchLocked, type LockedSource } from './locked-source.ts'

/**
 * Installs what the lock has and the disk lacks, and returns it. All sources are checked before the
 * first change.
 */
export async function restoreInstalled(installer: Installer): Promise<InstalledResult[]> {
  const { places } = installer
  const agents = chooseAgents(installer)
  const report = await checkInstalled(places)
  checkEntries(installer, report.skills)
  refuseReplacements(installer, report)
  const wanted = report.skills
    .filter(({ state }) => state !== 'unchanged')
    .map(({ skill }) => skill)
  const fetched = await installAll(installer, wanted)
  const linked = await repairAgents(places, (await checkInstalled(places)).skills, agents)
  const changed = new Map([...wanted, ...linked].map((each) => [each.name, each]))
  return [...changed.values()].map((skill) => {
    // Skills whose links were repaired were not fetched, and have the signers of the lock.
    const checked = fetched.find(({ locked }) => locked.name === skill.name)
    return {
      skill,
      signers: checked?.signers ?? skill.signers,
      attestations: checked?.attestations ?? [],
      signature: checked?.signature,
    }
  })
}

/** Refuses entries that are wrong, or that the trust list does not accept any more. */
function checkEntries(
  { places, options, trust: store }: Installer,
  skills: readonly InstalledSkill[],
): void {
  if (skills.length === 0) {
    throw new SkillsError('skill/not-found', 'There is no skill in skills.lock', {
      hint: options.frozen
        ? 'Install skills, and commit skills.lock: skills install ./folder, or a URL'
        : 'Name a source: skills install ./folder, or a URL',
    })
  }
  const trust = store.read()
  for (const { skill, state } of skills) {
    if (state === 'lock-differs') throw lockDifferenceError(skill, 'name, version or rights')
    const problem = findLockedProblem(trust, skill, places.base)
    if (problem !== undefined) throw deniedInstallError(`"${skill.name}": ${problem}`)
  }
}

/** Refuses to replace changed files without --yes, and always with --frozen. */
function refuseReplacements(
  { places, options }: Installer,
  { skills, shadowing }: InstalledReport,
): void {
  const replaced = skills.filter(({ state }) => state === 'changed' || state === 'link')
  if (options.frozen) {
    const others = [...replaced, ...skills.filter(hasForeignPlace)]
    return refuseOthers(places, [...others.map(({ skill }) => skill.folder), ...shadowing])
  }
  const [first] = replaced
  if (first === undefined || options.yes) return
  throw new SkillsError(
    'skill/changed',
    `The files of "${first.skill.name}" were changed after the installation`,
    { hint: 'Type "skills verify" to list them, and "skills install --yes" to replace them' },
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
    { hint: 'Type "skills verify" to list the differences' },
  )
}

/** Fetches and checks all skills, and asks about them, before the first folder changes. */
async function installAll(
  installer: Installer,
  wanted: readonly LockedSkill[],
): Promise<readonly LockedSource[]> {
  const { places, archives, options } = installer
  const fetched: LockedSource[] = []
  for (const locked of wanted) fetched.push(await fetchLocked(installer, locked))
  const ready: { locked: LockedSkill; staged: string }[] = []
  try {
    for (const each of fetched) {
      const staged = await stageFiles(places, each.locked.folder, each.fetched.files)
      ready.push({ locked: each.locked, staged })
      await agreeToLocked(installer, each, staged)
    }
    for (const { skill, fetched: each } of fetched) {
      await storeSignature(places, skill.tree, each.envelopes)
      if (isAttested(each)) await archives.add(skill.tree, each)
    }
    const dropsEdits = options.yes && !options.frozen
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
      { hint: 'Type "skills install" again' },
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
