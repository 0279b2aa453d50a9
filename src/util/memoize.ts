/** Caches a value per object; it is released with the object. */
export function memoize<Key extends object, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, { value: Value }>()
  return (key) => {
    const found = values.get(key)
    if (found) return found.value
    const value = compute(key)
    values.set(key, { value })
    return value
  }
}
