import { resolve } from 'node:path'
import { parseRemoteSource } from '../../sources/skill-source.ts'
import { checkSignatureRule, checkSourceRule } from '../install-rules.ts'
import { readPending } from '../pending/pending-skills.ts'
import { prepareSkill } from '../prepare-skill.ts'
import type { InstallCandidate, InstalledResult } from './candidate.ts'
import { checkSignatures } from './check-signatures.ts'
import { checkReplacement } from './fetch-candidate.ts'
import { installCandidate } from './install-candidate.ts'
import type { Installer } from './installer.ts'

/** Installs a skill that waits for a consent; nothing is downloaded. */
export async function installPending(installer: Installer, name: string): Promise<InstalledResult> {
  const candidate = await createCandidate(installer, name)
  const skill = await installCandidate(installer, candidate)
  return { ...candidate, skill }
}

/** Everything that the files can prove is computed again: only the source comes from the record. */
async function createCandidate(installer: Installer, name: string): Promise<InstallCandidate> {
  const { places, archives } = installer
  const { record, files, envelopes, bundle } = readPending(places, name)
  const { source, resolved, archive, agents } = record
  const skill = prepareSkill(files)
  // The folder of the source need not exist any more.
  const path = resolve(places.base, source)
  const place = parseRemoteSource(source) ?? { type: 'folder', path }
  const found = { files, envelopes, bundle, resolved }
  // The archive is not stored: only what this machine saw of it proves a statement about it.
  const facts = archives.find(skill.tree)
  const signatures = await checkSignatures(installer, {
    skill,
    fetched: { ...found, archiveDigest: undefined, ...facts },
    place,
    hasUnknownArchive: facts === undefined,
  })
  const fetched = { ...found, archiveDigest: archive ?? undefined }
  const recorded = { source, resolved }
  const checked = await checkReplacement(installer, { skill, fetched, recorded })
  const rules = installer.config.install
  checkSourceRule(rules, place, resolved)
  checkSignatureRule(rules, signatures)
  return { skill, fetched, recorded, ...signatures, ...checked, agents, isPending: true }
}
