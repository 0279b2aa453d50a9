import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { listAgentPlaces } from '../../core/installing/agents/agent-place.ts'
import { formatInstalledPath, type InstallPlaces } from '../../core/installing/install-places.ts'
import type { InstallResult } from '../../core/installing/installer/candidate.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { toJsonAttestation } from '../signing/attestation-view.ts'

/** Prints installed skills, with their links and copies in the folders of agents. */
export function reportInstalled(
  context: Context,
  places: InstallPlaces,
  skills: readonly InstallResult[],
): void {
  const failed = skills.filter((each) => 'error' in each)
  const installed = skills
    .filter((each) => 'skill' in each)
    .map(({ skill, signers, attestations, signature }) => {
      const { name, version, tree, folder } = skill
      const path = formatInstalledPath(places, folder)
      return {
        name,
        version,
        tree,
        path,
        signers,
        ...(signature && { signature }),
        attestations: attestations.map(toJsonAttestation),
        agents: listPlaces(places, skill),
      }
    })
  if (context.global.json) {
    const failures = failed.map(({ source, error: { code, message, hint = null } }) => {
      return { source, error: { code, message, hint } }
    })
    const more = failures.length > 0 ? { failed: failures } : {}
    return context.document('skills.install/v1', { installed, ...more })
  }
  const lines = installed.flatMap(({ name, version, tree, path, signature, agents }) => [
    `installed ${name}@${version} ${tree} in ${path}`,
    ...(signature ? [`  ${toPrintable(signature.text)}`] : []),
    ...agents.map((each) => `  ${each.mode} ${toPrintable(each.path)}`),
  ])
  for (const { source, error } of failed) lines.push(formatFailure(`failed ${source}`, error))
  context.print(lines.join('\n') || 'All skills of skills.lock are installed')
}

/** Lines about a skill that was not installed: the reason, and what to type next. */
export function formatFailure(
  subject: string,
  error: { message: string; hint?: string | null | undefined } | undefined,
): string {
  const lines = [`${subject}: ${error?.message}`, error?.hint ?? '']
  return lines
    .filter((line) => line !== '')
    .map((line) => toPrintable(line))
    .join('\n  ')
}

function listPlaces(places: InstallPlaces, skill: LockedSkill) {
  return listAgentPlaces(places, skill).map(({ agent, mode, path }) => ({
    agent,
    mode,
    path: relative(realpathSync.native(places.base), path),
  }))
}
