/** The runtime violates the requirement. */
export class RequirementFailed extends Error {
  override readonly name = 'Broken'
}

/** The requirement cannot be tested; the message gives the reason. */
export class RequirementUntested extends Error {
  override readonly name = 'Untried'
}

/** Throws RequirementFailed if the condition is false. */
export function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new RequirementFailed(message)
}

/** Formats a value on one line of limited length. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
