import type { InstalledSkill } from '../../core/installing/check-installed.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { mergeAgents, type LockedAgent } from '../../core/installing/agents/locked-agent.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { applyChange } from '../../core/installing/swap-skill.ts'

/** Adds agents to installed skills, and creates missing links and copies. Returns the changed skills. */
export async function repairAgents(
  places: InstallPlaces,
  skills: readonly InstalledSkill[],
  more: readonly LockedAgent[],
): Promise<LockedSkill[]> {
  const changed: LockedSkill[] = []
  for (const { skill, agents } of skills) {
    const before = skill.agents ?? []
    const merged = mergeAgents(before, more)
    const isSame = JSON.stringify(merged) === JSON.stringify(mergeAgents(before, []))
    if (isSame && agents.every(({ state }) => state === 'unchanged')) continue
    await applyChange(places, {
      folder: skill.folder,
      staged: undefined,
      keepsFolder: true,
      dropsEdits: false,
      update: (locked) =>
        locked.map((each) =>
          each.name === skill.name
            ? { ...each, agents: mergeAgents(each.agents ?? [], more) }
            : each,
        ),
    })
    changed.push({ ...skill, agents: merged })
  }
  return changed
}
