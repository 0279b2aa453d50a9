import { removeGuide } from '../../skills/repository/remove-guide.ts'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { findUnmet } from '../../runs/checks/find-unmet.ts'
import type { Services } from '../../services.ts'
import { describeMissing } from '../../skills/requirements/find-missing.ts'
import type { CallerContext } from '../caller-record.ts'
import type { SearchSkillsParams, SearchSkillsResult } from './definition.ts'
import { createProblemFilter } from './hide-problem-paths.ts'
import { matchSkill, toRow, type SkillMatch } from './search-entries.ts'

const DEFAULT_LIMIT = 50
/** More words are no better search, and each costs a scan of all texts. */
const MAX_WORDS = 12

/** `search_skills`: finds skills that have all words; the best matches are first. */
export async function searchSkills(
  services: Pick<Services, 'repository' | 'secrets' | 'config'>,
  { query, limit = DEFAULT_LIMIT }: SearchSkillsParams,
  call: CallerContext,
): Promise<SearchSkillsResult> {
  const { repository } = services
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  const matches: SkillMatch[] = []
  const breathe = yieldEvery()
  for (const entry of removeGuide(await repository.list())) {
    const match = await matchSkill(repository, entry, words)
    if (match) matches.push(match)
    await breathe()
  }
  // The order of the repository decides between equal ranks.
  const shown = matches.sort((a, b) => a.rank - b.rank).slice(0, limit)
  const unmet = await findUnmet(
    services,
    shown.map(({ entry }) => entry),
    call,
  )
  return {
    skills: shown.map((match) => toRow(match, (unmet.get(match.entry) ?? []).map(describeMissing))),
    total: matches.length,
    problems: (await repository.problems()).map(createProblemFilter(services, call)),
  }
}
