import { formatInstalledPath } from '../../core/installing/install-places.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { toJsonAttestation } from '../signing/attestation-view.ts'
import type { InstallCandidate } from './install-candidate.ts'
import { fetchCandidate, installCandidate } from './install-source.ts'
import { openPlaces } from './open-places.ts'
import { restoreInstalled } from './restore-installed.ts'

/** `skills install`. */
export async function runInstall(context: Context, call: CommandLine): Promise<number> {
  const [source] = call.args
  const { places } = await openPlaces(context, call)
  await recoverInstall(places)
  if (source === undefined) return await restoreInstalled(context, call, places)
  if (call.options['frozen'] === true) {
    throw new SkillsError('usage/invalid', '--frozen installs what skills.lock has, not a source', {
      hint: 'Type "skills install --frozen", or omit --frozen',
    })
  }
  const request = { places, text: source, cwd: context.cwd }
  const candidate = await fetchCandidate(context, call, request)
  await installCandidate(context, call, candidate)
  return reportInstalled(context, candidate)
}

/** Prints an installed skill. */
export function reportInstalled(context: Context, candidate: InstallCandidate): number {
  const { places, skill, signers } = candidate
  const { name, version, tree, folder } = skill
  const path = formatInstalledPath(places, folder)
  if (context.global.json) {
    const attestations = candidate.attestations.map(toJsonAttestation)
    const installed = [{ name, version, tree, path, signers, attestations }]
    context.document('skills.install/v1', { installed })
  } else context.print(`installed ${name}@${version} ${tree} in ${path}`)
  return 0
}
