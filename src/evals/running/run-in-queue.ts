/** Conversations at the same time: they mostly wait for a model. */
const MAX_CONCURRENT = 4

/**
 * Performs work for each element, a few at the same time. An interruption stops early, and keeps
 * the results of the work that has ended.
 */
export async function runInQueue<Element, Result>(
  elements: readonly Element[],
  signal: AbortSignal,
  work: (element: Element) => Promise<Result>,
): Promise<Result[]> {
  const results: (Result | undefined)[] = Array.from({ length: elements.length })
  let next = 0
  const perform = async () => {
    while (next < elements.length && !signal.aborted) {
      const at = next++
      try {
        results[at] = await work(elements[at] as Element)
      } catch (thrown) {
        if (!signal.aborted) throw thrown
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, elements.length) }, perform))
  return results.filter((each) => each !== undefined)
}
