import { lstatSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compareSkills } from '../../comparing/compare-skills.ts'
import { readFolderSnapshot } from '../../comparing/snapshots/folder-snapshot.ts'
import { createMemorySnapshot } from '../../comparing/snapshots/memory-snapshot.ts'
import { mergeAgents } from '../agents/locked-agent.ts'
import { checkSkillFolder } from '../check-installed.ts'
import { checkUpdate } from '../check-update.ts'
import { compareForeignFolder } from '../foreign-folder.ts'
import { storeSignature } from '../installed-signatures.ts'
import { askConsent } from './ask-consent.ts'
import type { InstallCandidate, InstalledComparison } from './candidate.ts'
import { examineStaged } from './examine-staged.ts'
import type { Installer } from './installer.ts'
import type { ApprovalMeans, LockedSkill } from '../lock-file.ts'
import { dropPending, locatePending, addPendingSkill } from '../pending/pending-skills.ts'
import { removeStaged, stageFiles } from '../stage-files.ts'
import { applyChange, changedFilesError } from '../swap-skill.ts'
import { isAttested } from '../../sources/fetched-skill.ts'
import { SkillsError } from '../../../errors.ts'

/** Shows a candidate, asks for a consent, and installs it in one step. */
export async function installCandidate(
  installer: Installer,
  candidate: InstallCandidate,
): Promise<LockedSkill> {
  const { places, archives, options } = installer
  const { skill, fetched, recorded, request } = candidate
  await refuseLocalEdits(installer, candidate)
  const staged = await stageFiles(places, skill.folder, fetched.files)
  try {
    const examined = await examineStaged(installer, { dir: staged, source: recorded.source })
    const comparison = await compareInstalled(installer, candidate)
    const by = await askConsent(installer, { ...candidate, ...recorded, ...examined, comparison })
    if (by === undefined) throw await parkCandidate(installer, candidate)
    const entry = toLocked(candidate, by)
    let { agents } = candidate
    await storeSignature(places, skill.tree, fetched.envelopes)
    if (isAttested(fetched)) await archives.add(skill.tree, fetched)
    await applyChange(places, {
      folder: skill.folder,
      staged,
      dropsEdits: options.force,
      mayAdopt: async () =>
        (await compareForeignFolder(places, { ...skill, leftOut: fetched.leftOut }))?.isSame ===
        true,
      update: (locked) => {
        // Another process may have installed a skill during the prompt.
        const now = checkUpdate(places, locked, request)
        agents = mergeAgents(now?.agents ?? [], candidate.agents)
        return [...locked.filter(({ name }) => name !== skill.name), { ...entry, agents }]
      },
    })
    dropPending(places, skill.name)
    return { ...entry, agents }
  } finally {
    removeStaged(staged)
  }
}

/** Files that the user changed are replaced only on request. */
export async function refuseLocalEdits(
  { places, options }: Installer,
  { before }: Pick<InstallCandidate, 'before'>,
): Promise<void> {
  if (before === undefined || options.force) return
  const { state } = await checkSkillFolder(places, before)
  if (state === 'changed' || state === 'link') throw changedFilesError(before.name)
}

function toLocked(
  { skill, recorded, fetched, signers }: InstallCandidate,
  by: ApprovalMeans,
): LockedSkill {
  const { name, version, folder, tree, files, capabilities, capabilityDigest } = skill
  return {
    name,
    version,
    ...recorded,
    archive: fetched.archiveDigest ?? null,
    folder,
    tree,
    files,
    capabilities: capabilities.map(({ kind, value }) => `${kind} ${value}`),
    signers,
    approved: { tree, capabilities: capabilityDigest, by },
  }
}

/** Stores a skill that no user could be asked about; returns the error with the remedy. */
async function parkCandidate(
  { places, archives }: Installer,
  { skill, fetched, recorded, agents, isPending }: InstallCandidate,
): Promise<SkillsError> {
  const { name, version, folder, tree } = skill
  const archive = fetched.archiveDigest ?? null
  const path =
    isPending === true
      ? locatePending(places, folder)
      : await addPendingSkill(places, {
          record: { name, version, ...recorded, archive, folder, tree, agents },
          files: fetched.files,
          envelopes: fetched.envelopes,
        })
  // "skills install --pending" verifies attestations again, which are about the archive.
  if (isPending !== true && isAttested(fetched)) await archives.add(tree, fetched)
  const shown = relative(places.base, path)
  const option = places.scope === 'user' ? ' --global' : ''
  return new SkillsError(
    'consent/required',
    `The skill "${name}" is pending: its files are in ${shown}, and it is not installed without your consent`,
    {
      hint: `Read it, and type: skills install --pending ${name}${option} --trust ${tree}`,
      data: { tree, pending: shown },
    },
  )
}

/** Compares the installed files with the new ones; undefined if nothing is replaced. No code is executed. */
export async function compareInstalled(
  { places, config, env }: Installer,
  { skill, before, fetched }: InstallCandidate,
): Promise<InstalledComparison | undefined> {
  if (before === undefined || before.tree === skill.tree) return undefined
  const installed = join(places.skills, before.folder)
  if (lstatSync(installed, { throwIfNoEntry: false })?.isDirectory() !== true) return 'missing'
  return await compareSkills(
    readFolderSnapshot(installed, `installed ${before.version}`),
    createMemorySnapshot(fetched.files, { label: `new ${skill.version}`, folder: skill.folder }),
    { python: config.run.python, env },
  )
}
