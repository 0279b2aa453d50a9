import type { InstalledSkill } from '../check-installed.ts'
import type { InstallPlaces } from '../install-places.ts'
import { applyChange } from '../swap-skill.ts'

/** Removes an installed skill; returns the paths of changed copies, which are kept. */
export async function removeSkill(
  places: InstallPlaces,
  { skill, agents }: InstalledSkill,
  dropsEdits: boolean,
): Promise<readonly string[]> {
  await applyChange(places, {
    folder: skill.folder,
    staged: undefined,
    dropsEdits,
    update: (locked) => locked.filter((each) => each.name !== skill.name),
  })
  return agents.filter(({ state }) => state === 'changed').map(({ path }) => path)
}
