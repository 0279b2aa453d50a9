import type { Span } from '../skills/manifest/source.ts'

/** Something that a skill has, with its place: a host, a package, a started program. */
export interface PlacedFact {
  /** Identifies the fact; equal keys in both skills are no difference. */
  key: string
  subject: string
  path: string
  span?: Span | undefined
}

/** The facts that only the second list has, each once, in its order. */
export function listNewFacts<Fact extends PlacedFact>(
  before: readonly Fact[],
  after: readonly Fact[],
): Fact[] {
  const seen = new Set(before.map(({ key }) => key))
  return after.filter(({ key }) => {
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
