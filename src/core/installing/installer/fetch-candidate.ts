import type { GitRepository } from '../../git/open-repository.ts'
import { fetchSource } from '../../sources/fetch-source.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import { parseSkillSource } from '../../sources/skill-source.ts'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { checkUpdate, type UpdateRequest } from '../check-update.ts'
import { compareForeignFolder } from '../foreign-folder.ts'
import { checkSignatureRule, checkSourceRule } from '../install-rules.ts'
import { readLockFile, type LockedSkill } from '../lock-file.ts'
import { prepareSkill } from '../prepare-skill.ts'
import { recordSource } from '../source-identity.ts'
import type { InstallCandidate } from './candidate.ts'
import { checkSignatures } from './check-signatures.ts'
import { chooseAgents } from '../agents/select-agents.ts'
import type { Installer } from './installer.ts'

export interface SourceRequest {
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
  installer: Installer,
  { text, cwd, withLeftOut = false, repository, ...known }: SourceRequest,
): Promise<InstallCandidate> {
  const { places, signal, env, caller } = installer
  const rules = installer.config.install
  const place = parseSkillSource(text, cwd)
  const agents = chooseAgents(installer, rules.agents)
  checkSourceRule(rules, place, text)
  const fetched =
    known.fetched ??
    (await caller.fetching(
      text,
      async () => await fetchSource(place, { signal, env, withLeftOut, repository }),
    ))
  const skill = prepareSkill(fetched.files)
  const recorded = recordSource({ text, place, fetched, places })
  const signatures = await checkSignatures(installer, { skill, fetched, place })
  checkSourceRule(rules, place, fetched.resolved)
  checkSignatureRule(rules, signatures)
  const checked = await checkReplacement(installer, { skill, fetched, recorded })
  return { skill, fetched, recorded, ...signatures, ...checked, agents }
}

/** Fetches the source of a lock entry as it is now. */
export async function fetchLockedSource(
  installer: Installer,
  locked: LockedSkill,
  fetched?: FetchedSkill,
): Promise<InstallCandidate> {
  const request = { text: locked.source, cwd: installer.places.base, fetched }
  const candidate = await fetchCandidate(installer, request)
  if (candidate.skill.name === locked.name) return candidate
  throw new SkillsError(
    'skill/changed',
    `The source of "${locked.name}" has the skill "${toPrintable(candidate.skill.name)}" now`,
    { hint: `Install that one by its source, or remove this one: skills remove ${locked.name}` },
  )
}

/** Refuses a skill that may not replace what is installed; returns the entry that it replaces. */
export async function checkReplacement(
  { places, options }: Installer,
  { skill, fetched, recorded }: Pick<InstallCandidate, 'skill' | 'fetched' | 'recorded'>,
): Promise<Pick<InstallCandidate, 'request' | 'before'>> {
  const request: UpdateRequest = {
    skill: { ...skill, ...recorded },
    fixed: fetched.fixed,
    yanked: fetched.yanked,
    listed: fetched.listed,
    allowsDowngrade: options.allowDowngrade,
    allowsRepublished: options.allowRepublished,
    foreignFolder: await compareForeignFolder(places, { ...skill, leftOut: fetched.leftOut }),
  }
  return { request, before: checkUpdate(places, readLockFile(places.lock), request) }
}
