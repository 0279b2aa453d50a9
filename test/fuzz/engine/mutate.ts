import { mutateBytes } from './mutate-bytes.ts'
import { mutateJson } from './mutate-json.ts'
import type { Random } from './random.ts'
import type { FuzzTarget } from './target.ts'

/** Creates a function that derives an input from one of a corpus. */
export function createMutator(
  target: FuzzTarget,
  random: Random,
): (corpus: readonly Buffer[]) => Buffer {
  const words = (target.words ?? []).map((each) => Buffer.from(each as string))
  return (corpus) => {
    // The newest inputs reached new blocks, so their neighbours may as well.
    const first = random.isOneIn(2) ? Math.max(0, corpus.length - 16) : 0
    const input = corpus[first + random.below(corpus.length - first)] as Buffer
    const isStructured = target.format === 'json' && !random.isOneIn(5)
    const json = isStructured ? mutateJson(input.toString('utf8'), random, words) : undefined
    const changed =
      json === undefined
        ? mutateBytes(input, random, { words, other: random.pick(corpus) })
        : Buffer.from(json)
    return target.repair && !random.isOneIn(8) ? target.repair(changed, random) : changed
  }
}
