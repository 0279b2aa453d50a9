import { SkillsError, toSkillsError } from '../../../errors.ts'
import type { LockedAgent } from '../agents/locked-agent.ts'
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
      agents ??= await caller.offerAgents(candidate)
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
