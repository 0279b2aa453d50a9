import { LoadedTexts } from './loaded-texts.ts'
import type { AgentLoads } from './session-state.ts'
import type { SkillReader } from './skill-reader.ts'
import { getTextCache } from './text-cache.ts'

/** Opens the texts of the loads of a stored session, as they were when they were loaded. */
export async function openLoadedTexts(
  loads: AgentLoads,
  repository: SkillReader,
): Promise<LoadedTexts> {
  const texts = new LoadedTexts()
  for (const part of loads.parts) {
    const cached = getTextCache(repository).get(part)
    if (cached) texts.add(part.skill, [cached])
  }
  await texts.prepare(loads, repository)
  return texts
}
