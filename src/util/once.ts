/** Computes a constant on first use; later calls return the same value. */
export function once<T>(compute: () => T): () => T {
  let cached: { value: T } | undefined
  return () => (cached ??= { value: compute() }).value
}
