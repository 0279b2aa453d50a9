import { memoize } from '../../../../util/memoize.ts'
import type { SkillEntry } from '../../../skills/repository/repository.ts'
import { hasPolicyFile } from '../../../policy/has-policy-file.ts'
import type { Services } from '../../../services.ts'
import type { ListSkillsParams, ListSkillsResult } from '../definition.ts'
import { listSkills } from '../handler.ts'

const MAX_PAGES = 50
/** Pages by parameters, per listing: a listing changes when skills are added or removed. */
const pagesByListing = memoize(
  (_entries: readonly SkillEntry[]) => new Map<string, ListSkillsResult>(),
)

/**
 * Returns a page that was requested before; undefined if the repository changed since, or if a policy
 * may hide skills from the caller.
 */
export function getCachedPage(
  { repository, config }: Pick<Services, 'repository' | 'config'>,
  params: ListSkillsParams,
): ListSkillsResult | undefined {
  if (hasPolicyFile(config)) return undefined
  const entries = repository.listed()
  return entries && pagesByListing(entries).get(createPageKey(params))
}

/**
 * Computes a page once per state of the repository: the same parameters return the same frozen object.
 *
 * General path: `listSkills` in list-skills/handler.ts.
 * Differential test: test/core/methods/list-skills/cached-pages.test.ts
 */
export async function listCachedPage(
  services: Pick<Services, 'repository' | 'fastPaths'>,
  params: ListSkillsParams = {},
): Promise<ListSkillsResult> {
  if (!services.fastPaths) return await listSkills(services, params)
  const entries = await services.repository.list()
  const key = createPageKey(params)
  const pages = pagesByListing(entries)
  const cached = pages.get(key)
  if (cached) return cached
  const page = await listSkills(services, params)
  for (const skill of page.skills) Object.freeze(skill)
  Object.freeze(page.skills)
  // The repository may have changed while the page was computed.
  if (pages.size < MAX_PAGES && (await services.repository.list()) === entries) pages.set(key, page)
  return Object.freeze(page)
}

function createPageKey({ namespace, detail, limit, cursor }: ListSkillsParams): string {
  // JSON has no NaN: as a number it would share the key of a page without a limit.
  return JSON.stringify([namespace, detail, String(limit), cursor])
}
