/** Maps with at most `width` calls in parallel. The results keep the order of the values. */
export async function mapInOrder<In, Out>(
  values: readonly In[],
  width: number,
  work: (value: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = []
  const next = values.entries()
  const worker = async () => {
    for (const [at, value] of next) results[at] = await work(value)
  }
  await Promise.all(Array.from({ length: Math.min(width, values.length) }, worker))
  return results
}
