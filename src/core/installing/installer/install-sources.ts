import { SkillsError, toSkillsError } from '../../../errors.ts'
import type { LockedAgent } from '../agents/locked-agent.ts'
import { listPresentAgents } from '../agents/select-agents.ts'
import type { InstallCandidate } from './candidate.ts'
import { fetchCandidate, type SourceRequest } from './fetch-candidate.ts'
import { installCandidate } from './install-candidate.ts'
import type { Installer } from './installer.ts'

/** Installs the skills of sources. One that cannot be installed does not stop the others. */
export async function installSources(
  installer: Installer,
  sources: readonly string[],
  request: Pick<SourceRequest, 'cwd' | 'repository'>,
): Promise<void> {
  const { caller, options, signal } = installer
  if (options.trust.length > 0 && sources.length > 1) {
    throw new SkillsError('usage/invalid', '--trust is the digest of one skill', {
      hint: 'Name the skill with --skill, or agree with --yes',
    })
  }
  let agents: readonly LockedAgent[] | undefined
  for (const text of sources) {
    try {
      const candidate = await fetchCandidate(installer, { ...request, text })
      agents ??= await offerAgents(installer, candidate)
      const skill = await installCandidate(installer, { ...candidate, agents })
      caller.report({ ...candidate, skill })
    } catch (thrown) {
      const error = toSkillsError(thrown)
      const isCancelled = error.code === 'run/cancelled' || signal.aborted
      if (isCancelled || sources.length === 1) throw thrown
      caller.report({ source: text, error })
    }
  }
}

/** Agents of a candidate, and those of this machine that the caller adds. */
async function offerAgents(
  { places, env, options, caller }: Installer,
  { agents, before }: InstallCandidate,
): Promise<readonly LockedAgent[]> {
  if (options.agents.length > 0) return agents
  const known = new Set([...(before?.agents ?? []), ...agents].map(({ agent }) => agent))
  const offered = listPresentAgents(places, env).filter(({ id }) => !known.has(id))
  if (offered.length === 0 || !(await caller.offerAgents(offered))) return agents
  return [...agents, ...offered.map(({ id }) => ({ agent: id, mode: 'link' as const }))]
}
