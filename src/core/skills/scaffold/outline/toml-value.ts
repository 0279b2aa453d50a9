/** Formats a value in one line. Strings of JSON are strings of TOML. */
export function formatTomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} = ${formatTomlValue(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
