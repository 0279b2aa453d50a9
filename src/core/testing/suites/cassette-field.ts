import { spellValue, type Field } from '../document/field.ts'

const DESCRIPTION =
  'Recorded requests and answers: true for the file that is named like the case, or a path'
const PATH = /^(?!.*(?:^|\/)\.\.?(?:\/|$))[\w-][\w./-]*\.toml$/

export const cassetteField: Field<true | string> = {
  description: DESCRIPTION,
  schema: {
    anyOf: [{ const: true }, { type: 'string', pattern: '\\.toml$' }],
    description: DESCRIPTION,
  },
  read(value, place) {
    if (value === true) return true
    if (typeof value === 'string' && PATH.test(value)) return value
    return place.refuse(
      `Expected true, or the path of a .toml file below this folder, got ${spellValue(value)}`,
    )
  },
}
