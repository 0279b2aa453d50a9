/** Resolves with the value; with undefined if it takes longer. A later failure is ignored. */
export async function takeInTime<T>(value: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((done) => {
    timer = setTimeout(done, ms, undefined)
  })
  try {
    return await Promise.race([value, timeout])
  } finally {
    clearTimeout(timer)
    value.catch(() => {})
  }
}
