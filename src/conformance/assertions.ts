/** The runtime does something else than is demanded. */
export class RequirementFailed extends Error {
  override readonly name = 'Broken'
}

/** It cannot be told, for this reason. */
export class RequirementUntested extends Error {
  override readonly name = 'Untried'
}

/** Throws Broken unless it is so. */
export function assertThat(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new RequirementFailed(otherwise)
}

/** A value for people, on one line and not too long. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
