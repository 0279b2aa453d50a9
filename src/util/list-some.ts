/** The first values as a list, with the number of those that are left out: `a, b and 3 more`. */
export function listSome(values: readonly string[], max = 10): string {
  const rest = values.length - max
  const shown = values.slice(0, max).join(', ')
  return rest > 0 ? `${shown} and ${rest} more` : shown
}
