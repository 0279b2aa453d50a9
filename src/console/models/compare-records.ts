/** One place of two values; undefined on a side that does not have it. */
export interface ComparedPlace {
  path: string
  before: string | undefined
  after: string | undefined
  isSame: boolean
}

/** Compares two JSON values place by place, in the order of the first one. */
export function compareValues(before: unknown, after: unknown): ComparedPlace[] {
  const left = flatten(before)
  const right = flatten(after)
  const paths = [...left.keys(), ...[...right.keys()].filter((path) => !left.has(path))]
  return paths.map((path) => {
    const [a, b] = [left.get(path), right.get(path)]
    return { path, before: a, after: b, isSame: a === b }
  })
}

function flatten(value: unknown): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (each: unknown, path: string) => {
    if (typeof each !== 'object' || each === null) {
      found.set(path, JSON.stringify(each) ?? 'undefined')
      return
    }
    const members = Object.entries(each)
    if (members.length === 0) found.set(path, Array.isArray(each) ? '[]' : '{}')
    for (const [name, member] of members) {
      visit(
        member,
        path === '' ? name : Array.isArray(each) ? `${path}[${name}]` : `${path}.${name}`,
      )
    }
  }
  visit(value, '')
  return found
}
