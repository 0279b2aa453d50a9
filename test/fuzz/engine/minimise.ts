const MAX_ATTEMPTS = 400

/** Removes parts of an input for as long as `isSame` holds for the rest. */
export async function minimise(
  input: Buffer,
  isSame: (shorter: Buffer) => Promise<boolean>,
): Promise<Buffer> {
  let result = input
  let attempts = 0
  for (let size = Math.ceil(input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < result.length;) {
      if (++attempts > MAX_ATTEMPTS) return result
      const shorter = Buffer.concat([result.subarray(0, at), result.subarray(at + size)])
      if (await isSame(shorter)) result = shorter
      else at += size
    }
  }
  return result
}
