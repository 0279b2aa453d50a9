import { SkillsError } from '../../../errors.ts'
import { listSome } from '../../../util/join-text.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { FetchOptions } from '../fetched-skill.ts'
import type { ArchivePlace } from '../source-place.ts'
import { formatSite } from './site-error.ts'
import { readSiteIndex } from './site-index.ts'

const NAME = /^[A-Za-z0-9][\w.-]{0,127}$/

/** An error with the skills of the site at this address; undefined if no site is there. */
export async function findSite(
  { url }: ArchivePlace,
  options: FetchOptions,
): Promise<SkillsError | undefined> {
  const base = new URL(url)
  base.search = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  const site = { type: 'site', url: base, name: '', version: undefined } as const
  const index = await readSiteIndex(site, options).catch(() => undefined)
  options.signal.throwIfAborted()
  const names = index?.entries.map(({ name }) => name).filter((name) => NAME.test(name)) ?? []
  const [first] = names
  if (first === undefined) return undefined
  const address = toPrintable(formatSite(site))
  const problem = `it is a site with ${names.length === 1 ? '1 skill' : `${names.length} skills`}`
  return new SkillsError('skill/not-found', `Cannot install from "${address}": ${problem}`, {
    hint: `Name a skill, as in skills install '${address}#${first}'; it has ${listSome(names)}`,
    data: { skills: names.slice(0, 20) },
  })
}
