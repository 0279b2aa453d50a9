import { SkillsError } from '../../../errors.ts'
import { listSome } from '../../../util/join-text.ts'

/**
 * The full name that a name on a command line stands for: itself, or the only one that ends with it
 * after a dot, so that `errors` is `acme.logs.errors`. Undefined if there is none.
 */
export function expandShortName(name: string, names: Iterable<string>): string | undefined {
  const all = [...new Set(names)]
  if (all.includes(name)) return name
  const matching = name === '' ? [] : all.filter((each) => each.endsWith(`.${name}`))
  if (matching.length <= 1) return matching[0]
  throw new SkillsError('usage/invalid', `"${name}" is the short name of several skills`, {
    hint: `Type one of ${listSome(matching)}`,
  })
}
