import { createHash } from 'node:crypto'
import { applyEdit, listMutations, type Mutation } from './list-mutations.ts'
import { isOtherProgram } from './syntax.ts'

/**
 * Chooses mutations of files at random, of different files and operators where that is possible. The rank of a mutation
 * depends on the seed and its own text only, so a change of one file does not replace the mutations of others.
 */
export function chooseMutations(
  sources: ReadonlyMap<string, string>,
  { seed, count }: { seed: number; count: number },
): Mutation[] {
  const ranked = [...sources]
    .flatMap(([file, source]) => listMutations(file, source))
    .map((mutation) => ({ mutation, rank: computeRank(mutation, seed) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutation }) => mutation)
  const chosen: Mutation[] = []
  const choose = (isWanted: (mutation: Mutation) => boolean) => {
    for (const mutation of ranked) {
      if (chosen.length === count) return
      const source = sources.get(mutation.file) ?? ''
      if (chosen.includes(mutation) || !isWanted(mutation)) continue
      if (isOtherProgram(mutation.file, source, applyEdit(source, mutation))) chosen.push(mutation)
    }
  }
  choose(({ file, operator }) =>
    chosen.every((each) => each.file !== file && each.operator !== operator),
  )
  choose(() => true)
  return chosen
}

function computeRank({ file, key }: Mutation, seed: number): string {
  return createHash('sha256').update([seed, file, key].join('\0')).digest('hex')
}
