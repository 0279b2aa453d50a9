/** Computes a constant when it is first needed; every later call returns the same value. */
export function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined
  return () => (known ??= { value: compute() }).value
}
