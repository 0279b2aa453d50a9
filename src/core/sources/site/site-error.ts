import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { SitePlace } from '../source-place.ts'

export function formatSite({ url }: Pick<SitePlace, 'url'>): string {
  return url.href.replace(/\/$/, '')
}

/** A site whose files are not as its format demands. */
export function siteError(
  place: SitePlace,
  problem: string,
  { hint = 'Ask its publisher, or install the archive of the skill by its URL' } = {},
): SkillsError {
  return new SkillsError(
    'remote/unexpected',
    `The site "${formatSite(place)}" is refused: ${toPrintable(problem)}`,
    { hint },
  )
}
