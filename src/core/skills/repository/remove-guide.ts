import { memoize } from '../../../util/memoize.ts'
import { GUIDE_NAME } from '../manifest/fields.ts'

type NamedSkills = readonly { readonly name: string }[]

/**
 * Skills without the guide, which is help for the tools of the protocol: `list_skills` lists it, and
 * lists for people and for other clients do not. The same list gives the same result.
 */
export const removeGuide = memoize((all: NamedSkills) =>
  all.filter(({ name }) => name !== GUIDE_NAME),
) as <List extends NamedSkills>(all: List) => List
