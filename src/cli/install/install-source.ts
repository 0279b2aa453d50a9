import { storeSignature } from '../../core/installing/installed-signatures.ts'
import { isAttested, type FetchedSkill } from '../../core/sources/fetched-skill.ts'
import { mergeAgents } from '../../core/installing/agents/locked-agent.ts'
import { checkSkillFolder } from '../../core/installing/check-installed.ts'
import { checkUpdate, type UpdateRequest } from '../../core/installing/check-update.ts'
import {
  readLockFile,
  type ApprovalMeans,
  type LockedSkill,
} from '../../core/installing/lock-file.ts'
import { checkSignatureRule, checkSourceRule } from '../../core/installing/install-rules.ts'
import { dropParked, locateParked, parkSkill } from '../../core/installing/parking/parked-skills.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { recordSource } from '../../core/installing/record-source.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { removeStaged, stageFiles } from '../../core/installing/stage-files.ts'
import { applyChange, changedFilesError } from '../../core/installing/swap-skill.ts'
import { compareForeignFolder } from '../../core/installing/foreign-folder.ts'
import type { GitRepository } from '../../core/git/open-repository.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { openUserArchives, openUserConsents } from '../signing/open-stores.ts'
import { askConsent } from './ask-consent.ts'
import type { InstallCandidate } from './install-candidate.ts'
import { loadInstallRules } from './load-rules.ts'
import { chooseAgents } from './choose-agents.ts'
import { checkSignatures } from './check-signatures.ts'
import { compareInstalled } from './compare-installed.ts'
import { describeInstall } from './describe-install.ts'
import { examineStaged } from './examine-staged.ts'
import { relative } from 'node:path'

interface SourceRequest {
  places: InstallPlaces
  /** The source as typed. */
  text: string
  /** Folder that a path of the source is relative to. */
  cwd: string
  /** Reads the files that are not installed, too. */
  withLeftOut?: boolean
  /** The repository of the source, if it is open. */
  repository?: GitRepository | undefined
  /** The files of the source, if they were fetched a moment ago. */
  fetched?: FetchedSkill | undefined
}

/** Fetches a source, and checks its signatures and that it may replace what is installed. */
export async function fetchCandidate(
  context: Context,
  call: CommandLine,
  { places, text, cwd, withLeftOut = false, repository, ...known }: SourceRequest,
): Promise<InstallCandidate> {
  const place = parseSkillSource(text, cwd)
  const rules = await loadInstallRules(context)
  const agents = chooseAgents(context, call, { places, configured: rules.agents })
  checkSourceRule(rules, place, text)
  const { signal, env } = context
  const fetched =
    known.fetched ??
    (await whileFetching(
      context,
      text,
      async () => await fetchSource(place, { signal, env, withLeftOut, repository }),
    ))
  const skill = prepareSkill(fetched.files)
  const recorded = recordSource({ text, place, fetched, places })
  const signatures = await checkSignatures(context, call, { skill, fetched, place })
  checkSourceRule(rules, place, fetched.resolved)
  checkSignatureRule(rules, signatures)
  const request: UpdateRequest = {
    skill: { ...skill, ...recorded },
    fixed: fetched.fixed,
    yanked: fetched.yanked,
    listed: fetched.listed,
    allowsDowngrade: call.options['allowDowngrade'] === true,
    allowsRepublished: call.options['allowRepublished'] === true,
    foreignFolder: await compareForeignFolder(places, { ...skill, leftOut: fetched.leftOut }),
  }
  const before = checkUpdate(places, readLockFile(places.lock), request)
  return { places, skill, fetched, recorded, ...signatures, before, request, agents }
}

/** Fetches the source of a lock entry as it is now. */
export async function fetchLockedSource(
  context: Context,
  call: CommandLine,
  { places, locked, fetched }: Pick<SourceRequest, 'places' | 'fetched'> & { locked: LockedSkill },
): Promise<InstallCandidate> {
  const request = { places, text: locked.source, cwd: places.base, fetched }
  const candidate = await fetchCandidate(context, call, request)
  if (candidate.skill.name === locked.name) return candidate
  throw new SkillsError(
    'skill/changed',
    `The source of "${locked.name}" has the skill "${toPrintable(candidate.skill.name)}" now`,
    { hint: `Install that one by its source, or remove this one: skills remove ${locked.name}` },
  )
}

/** Shows a candidate, asks for a consent, and installs it in one step. */
export async function installCandidate(
  context: Context,
  call: CommandLine,
  candidate: InstallCandidate,
): Promise<LockedSkill> {
  const { places, skill, fetched, recorded, before, request } = candidate
  await refuseLocalEdits(call, candidate)
  const staged = await stageFiles(places, skill.folder, fetched.files)
  try {
    const examined = await examineStaged(context, call, { dir: staged, source: recorded.source })
    const { text } = await compareInstalled(context, candidate, fetched.files)
    const facts = describeInstall({ ...candidate, ...recorded, ...examined })
    // The facts are last: a long comparison does not scroll them away.
    const shown = text === '' ? facts : `${text}\n\n${facts}`
    const consents = openUserConsents(context)
    const by = await askConsent(context, call, { skill, before, shown, consents, ...examined })
    if (by === undefined) throw await parkCandidate(context, candidate)
    const entry = toLocked(candidate, by)
    let { agents } = candidate
    await storeSignature(places, skill.tree, fetched.envelopes)
    if (isAttested(fetched)) await openUserArchives(context).add(skill.tree, fetched)
    await applyChange(places, {
      folder: skill.folder,
      staged,
      dropsEdits: call.options['force'] === true,
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
    dropParked(places, skill.name)
    return { ...entry, agents }
  } finally {
    removeStaged(staged)
  }
}

/** Files that the user changed are replaced only on request. */
export async function refuseLocalEdits(
  call: CommandLine,
  { places, before }: Pick<InstallCandidate, 'places' | 'before'>,
): Promise<void> {
  if (before === undefined || call.options['force'] === true) return
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
  context: Context,
  { places, skill, fetched, recorded, agents, isParked }: InstallCandidate,
): Promise<SkillsError> {
  const { name, version, folder, tree } = skill
  const archive = fetched.archiveDigest ?? null
  const path =
    isParked === true
      ? locateParked(places, folder)
      : await parkSkill(places, {
          record: { name, version, ...recorded, archive, folder, tree, agents },
          files: fetched.files,
          envelopes: fetched.envelopes,
        })
  // "skills install --parked" verifies attestations again, which are about the archive.
  if (isParked !== true && isAttested(fetched)) {
    await openUserArchives(context).add(tree, fetched)
  }
  const shown = relative(places.base, path)
  const option = places.scope === 'user' ? ' --global' : ''
  return new SkillsError(
    'consent/required',
    `The skill "${name}" is parked in ${shown}, and not installed without a consent`,
    {
      hint: `Read it, and type: skills install --parked ${name}${option} --trust ${tree}`,
      data: { tree, parked: shown },
    },
  )
}
