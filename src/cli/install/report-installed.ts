import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { listAgentPlaces } from '../../core/installing/agents/agent-place.ts'
import { formatInstalledPath, type InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { CheckedAttestation } from '../../core/signing/verify/check-attestation.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { toJsonAttestation } from '../signing/attestation-view.ts'

/** An installed skill, and what its signatures showed. */
interface ReportedInstallation {
  skill: LockedSkill
  signers: readonly string[]
  attestations: readonly CheckedAttestation[]
}

/** Prints installed skills, with their links and copies in the folders of agents. */
export function reportInstalled(
  context: Context,
  places: InstallPlaces,
  skills: readonly ReportedInstallation[],
): void {
  const installed = skills.map(({ skill, signers, attestations }) => {
    const { name, version, tree, folder } = skill
    const path = formatInstalledPath(places, folder)
    return {
      name,
      version,
      tree,
      path,
      signers,
      attestations: attestations.map(toJsonAttestation),
      agents: listPlaces(places, skill),
    }
  })
  if (context.global.json) return context.document('skills.install/v1', { installed })
  const lines = installed.flatMap(({ name, version, tree, path, agents }) => [
    `installed ${name}@${version} ${tree} in ${path}`,
    ...agents.map((each) => `  ${each.mode} ${toPrintable(each.path)}`),
  ])
  context.print(lines.join('\n') || 'All skills of skills.lock are installed')
}

function listPlaces(places: InstallPlaces, skill: LockedSkill) {
  return listAgentPlaces(places, skill).map(({ agent, mode, path }) => ({
    agent,
    mode,
    path: relative(realpathSync.native(places.base), path),
  }))
}
