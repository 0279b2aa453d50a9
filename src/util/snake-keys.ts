/** Changes camelCase keys of nested plain objects to snake_case. Values are unchanged. */
export function toSnakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [toSnakeKey(key), toSnakeKeys(each)]),
  )
}

function toSnakeKey(key: string): string {
  return key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
