import type { FetchOptions } from './fetched-skill.ts'
import type { SkillSourcePlace } from './source-place.ts'

/** The reason for which a publisher withdrew a version; undefined if it did not, or has no list of versions. */
export async function findWithdrawal(
  place: SkillSourcePlace,
  version: string,
  options: FetchOptions,
): Promise<string | undefined> {
  switch (place.type) {
    case 'site': {
      const { readSiteVersion } = await import('./site/site-version.ts')
      return (await readSiteVersion(place, version, options)).yanked
    }
    case 'npm': {
      const { findDeprecation } = await import('./npm/fetch-npm.ts')
      return await findDeprecation(place, version, options)
    }
    default: {
      return undefined
    }
  }
}
