import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { toJsonAttestation } from '../signing/attestation-view.ts'
import { findWithdrawn } from './find-withdrawn.ts'
import { formatFailure } from './report-installed.ts'
import { fetchLockedSource, installCandidate } from './install-source.ts'
import { openPlaces } from './open-places.ts'
import { previewUpdates } from './preview-updates.ts'
import { selectLocked } from './select-locked.ts'

interface UpdatedSkill {
  name: string
  status: 'current' | 'updated' | 'failed'
  /** Installed version. */
  from: string
  /** Version of the source; null if it could not be asked. */
  to: string | null
  tree: string | null
  /** Signers that count, and attestations; empty if the source could not be asked. */
  signers: readonly string[]
  attestations: readonly ReturnType<typeof toJsonAttestation>[]
  error?: { code: string; message: string; hint: string | null }
}

/** `skills update`. */
export async function runUpdate(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const isDryRun = call.options['dryRun'] === true
  if (!isDryRun) await recoverInstall(places)
  const selected = selectLocked(places, call.args)
  if (call.options['trust'] !== undefined && selected.length > 1) {
    throw new SkillsError('usage/invalid', '--trust is the digest of one skill', {
      hint: `Name the skill: skills update ${selected[0]?.name} --trust …`,
    })
  }
  if (isDryRun) return await previewUpdates(context, call, { places, selected })
  return await updateSkills(context, call, { places, selected })
}

/** A skill that cannot be updated does not stop the others. */
async function updateSkills(
  context: Context,
  call: CommandLine,
  { places, selected }: { places: InstallPlaces; selected: readonly LockedSkill[] },
): Promise<number> {
  const updated: UpdatedSkill[] = []
  let status = 0
  for (const locked of selected) {
    try {
      updated.push(await updateSkill(context, call, { places, locked }))
    } catch (thrown) {
      const error = toSkillsError(thrown)
      if (error.code === 'run/cancelled' || context.signal.aborted) throw thrown
      status ||= error.outcome.exit
      const withdrawn =
        error.code === 'skill/exists' ? await findWithdrawn(context, places, locked) : undefined
      updated.push(describeFailed(locked, error, withdrawn))
    }
  }
  if (context.global.json) {
    context.document('skills.update/v1', { skills: updated })
  } else context.print(updated.map(formatUpdated).join('\n'))
  return status
}

async function updateSkill(
  context: Context,
  call: CommandLine,
  { places, locked }: { places: InstallPlaces; locked: LockedSkill },
): Promise<UpdatedSkill> {
  const { name, version: from } = locked
  const candidate = await fetchLockedSource(context, call, { places, locked })
  const { skill } = candidate
  const attestations = candidate.attestations.map(toJsonAttestation)
  const facts = { signers: candidate.signers, attestations }
  const common = { name, from, to: skill.version, tree: skill.tree, ...facts }
  if (skill.tree === locked.tree) return { ...common, status: 'current' }
  await installCandidate(context, call, candidate)
  return { ...common, status: 'updated' }
}

function describeFailed(
  { name, version }: LockedSkill,
  { code, message: problem, hint }: SkillsError,
  withdrawn: string | undefined,
): UpdatedSkill {
  const message =
    withdrawn === undefined
      ? problem
      : `${problem}; its publisher withdrew the installed one (${withdrawn})`
  return {
    name,
    status: 'failed',
    from: version,
    to: null,
    tree: null,
    signers: [],
    attestations: [],
    error: { code, message, hint: hint ?? null },
  }
}

function formatUpdated({ name, status, from, to, tree, error }: UpdatedSkill): string {
  switch (status) {
    case 'current': {
      return `current ${name}@${from}`
    }
    case 'failed': {
      return formatFailure(`failed ${name}@${from}`, error)
    }
    case 'updated': {
      return `${status} ${name} ${from} → ${to} ${tree}`
    }
  }
}
