import { resolve } from 'node:path'
import { checkUpdate, type UpdateRequest } from '../../core/installing/check-update.ts'
import { checkSignatureRule, checkSourceRule } from '../../core/installing/install-rules.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { readLockFile } from '../../core/installing/lock-file.ts'
import {
  listParked,
  readParked,
  type ParkedSkill,
} from '../../core/installing/parking/parked-skills.ts'
import { compareForeignFolder } from '../../core/installing/foreign-folder.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import type { SkillSourcePlace } from '../../core/sources/source-place.ts'
import { parseRemoteSource } from '../../core/sources/skill-source.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserArchives } from '../signing/open-stores.ts'
import { checkSignatures } from './check-signatures.ts'
import type { InstallCandidate } from './install-candidate.ts'
import { installCandidate } from './install-source.ts'
import { loadInstallRules } from './load-rules.ts'
import { openPlaces } from './open-places.ts'
import { reportInstalled } from './report-installed.ts'

/** `skills install --parked`. */
export async function installParked(context: Context, call: CommandLine): Promise<number> {
  const [name] = call.args
  const { places } = await openPlaces(context, call)
  await recoverInstall(places)
  if (name === undefined) return reportParked(context, places)
  const parked = readParked(places, name)
  const candidate = await createCandidate(context, call, { places, parked })
  const rules = await loadInstallRules(context)
  const { source, resolved } = parked.record
  checkSourceRule(rules, locateSource(places, source), resolved)
  checkSignatureRule(rules, candidate)
  const skill = await installCandidate(context, call, candidate)
  reportInstalled(context, places, [{ ...candidate, skill }])
  return 0
}

function reportParked(context: Context, places: InstallPlaces): number {
  const parked = listParked(places).map(({ name, version, source, tree }) => ({
    name,
    version,
    source,
    tree,
  }))
  if (context.global.json) context.document('skills.parked/v1', { parked })
  else {
    const lines = parked.map(
      ({ name, version, source, tree }) => `${name}@${version} ${tree} from ${source}`,
    )
    context.print(lines.map((line) => toPrintable(line)).join('\n') || 'No skill is parked')
    const [first] = parked
    if (first) context.note(`Type "skills install --parked ${first.name}" to see what it may do`)
  }
  return 0
}

/** A folder that was parked need not exist any more. */
function locateSource({ base }: InstallPlaces, source: string): SkillSourcePlace {
  return parseRemoteSource(source) ?? { type: 'folder', path: resolve(base, source) }
}

/** Everything that the files can prove is computed again: only the source comes from the record. */
async function createCandidate(
  context: Context,
  call: CommandLine,
  { places, parked }: { places: InstallPlaces; parked: ParkedSkill },
): Promise<InstallCandidate> {
  const { record, files, envelopes, bundle } = parked
  const { source, resolved, archive, agents } = record
  const skill = prepareSkill(files)
  const place = locateSource(places, source)
  const fetched = { files, envelopes, bundle, resolved }
  // The archive is not parked: only what this machine saw of it proves a statement about it.
  const facts = openUserArchives(context).find(skill.tree)
  const signatures = await checkSignatures(context, call, {
    skill,
    fetched: { ...fetched, archiveDigest: undefined, ...facts },
    place,
    hasUnknownArchive: facts === undefined,
  })
  const request: UpdateRequest = {
    skill: { ...skill, source, resolved },
    fixed: undefined,
    yanked: undefined,
    listed: undefined,
    allowsDowngrade: call.options['allowDowngrade'] === true,
    allowsRepublished: call.options['allowRepublished'] === true,
    foreignFolder: await compareForeignFolder(places, skill),
  }
  const before = checkUpdate(places, readLockFile(places.lock), request)
  const known = { ...fetched, archiveDigest: archive ?? undefined }
  return {
    places,
    skill,
    fetched: known,
    recorded: { source, resolved },
    ...signatures,
    before,
    request,
    agents,
    isParked: true,
  }
}
