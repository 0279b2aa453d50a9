import { memoize } from '../../../../util/memoize.ts'
import type { SkillEntry } from '../../../skills/repository/repository.ts'
import type { Services } from '../../../services.ts'
import type { ListSkillsParams, ListSkillsResult } from '../definition.ts'
import { listSkills } from '../handler.ts'

const MAX_PAGES = 50
/** Pages by their parameters, for as long as nothing is added or removed. */
const pagesByListing = memoize(
  (_entries: readonly SkillEntry[]) => new Map<string, ListSkillsResult>(),
)

/** A page that was requested before, where nothing changed since; undefined elsewhere. */
export function getCachedPage(
  { repository }: Pick<Services, 'repository'>,
  params: ListSkillsParams,
): ListSkillsResult | undefined {
  const entries = repository.listed()
  return entries && pagesByListing(entries).get(createPageKey(params))
}

/**
 * Lists a page once for each state of the repository: the same parameters give the same frozen object.
 *
 * General way: `listSkills` in list-skills/run.ts.
 * Differential test: test/core/methods/list-skills/cached-pages.test.ts
 */
export async function listCachedPage(
  services: Pick<Services, 'repository' | 'config'>,
  params: ListSkillsParams = {},
): Promise<ListSkillsResult> {
  if (!services.config.fastPaths) return await listSkills(services, params)
  const entries = await services.repository.list()
  const key = createPageKey(params)
  const pages = pagesByListing(entries)
  const known = pages.get(key)
  if (known) return known
  const page = await listSkills(services, params)
  for (const skill of page.skills) Object.freeze(skill)
  Object.freeze(page.skills)
  // Another listing may have come between the two questions.
  if (pages.size < MAX_PAGES && (await services.repository.list()) === entries) pages.set(key, page)
  return Object.freeze(page)
}

function createPageKey({ namespace, detail, limit, cursor }: ListSkillsParams): string {
  // JSON has no NaN: as a number it would have the key of a page without a limit.
  return JSON.stringify([namespace, detail, String(limit), cursor])
}
