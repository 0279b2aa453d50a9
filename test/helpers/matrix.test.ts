import { describe, expect, it } from 'vitest'
import { findGaps, selectAttacks, type Matrix } from './matrix.ts'

interface Subject {
  backend: string
  user: string
  path: string
}
interface Attack {
  id: string
  /** Backends that do not guarantee what it needs. */
  unsafeOn: readonly string[]
}

const BACKENDS = ['a', 'b', 'c', 'd']
const ALL = BACKENDS.flatMap((backend) =>
  ['root', 'user'].flatMap((user) => ['cold', 'warm'].map((path) => ({ backend, user, path }))),
)

/** Generates a matrix; each bit of a number leaves out a subject or a guarantee. */
function createMatrix(number: number, count: number): Matrix<Attack, Subject> {
  const attacks = Array.from({ length: count }, (_, at) => ({
    id: `attack ${number}-${at}`,
    unsafeOn: BACKENDS.filter((_each, bit) => ((number * 7 + at) >> bit) % 2 === 1),
  }))
  return {
    attacks,
    subjects: ALL.filter((_, bit) => ((number * 40_503) >> bit) % 2 === 0),
    name: ({ id }) => id,
    describe: (subject) => ({ ...subject }),
    applies: ({ unsafeOn }, { backend }) => !unsafeOn.includes(backend),
  }
}
const MATRICES = Array.from({ length: 60 }, (_, number) => createMatrix(number, (number % 9) + 1))

const countPairs = (selected: ReadonlyMap<Subject, readonly Attack[]>) =>
  [...selected.values()].flat().length

describe('a covering selection', () => {
  it('tries each attack with each backend, user and path that guarantees what it needs', () => {
    expect(MATRICES.flatMap((each) => findGaps(each, selectAttacks(each, false)))).toEqual([])
  })

  it('tries no attack on a backend without the guarantee that it needs', () => {
    for (const matrix of MATRICES)
      for (const [{ backend }, attacks] of selectAttacks(matrix, false))
        expect(attacks.filter(({ unsafeOn }) => unsafeOn.includes(backend))).toEqual([])
  })

  it('is the same each time, and contains each pair once', () => {
    for (const matrix of MATRICES) {
      const selected = selectAttacks(matrix, false)
      expect(selectAttacks(matrix, false)).toEqual(selected)
      for (const attacks of selected.values()) expect(new Set(attacks).size).toBe(attacks.length)
    }
  })

  it('tries a new attack, and selects the same pairs as before for the others', () => {
    const matrix = { ...createMatrix(0, 60), applies: () => true }
    const added = { id: 'added', unsafeOn: [] }
    const before = selectAttacks(matrix, false)
    const after = selectAttacks({ ...matrix, attacks: [added, ...matrix.attacks] }, false)
    expect([...after.values()].flat()).toContain(added)
    for (const [subject, attacks] of after)
      expect(attacks.filter((each) => each !== added)).toEqual(before.get(subject))
  })

  it('contains less than a third of all pairs, and uses each subject', () => {
    const matrix = { ...createMatrix(0, 60), applies: () => true }
    const selected = selectAttacks(matrix, false)
    expect(countPairs(selected) * 3).toBeLessThan(countPairs(selectAttacks(matrix, true)))
    for (const attacks of selected.values()) expect(attacks.length).toBeGreaterThan(5)
  })
})

describe('the full matrix', () => {
  it('contains every pair whose backend guarantees what the attack needs', () => {
    for (const matrix of MATRICES) {
      const all = matrix.subjects.map((subject) =>
        matrix.attacks.filter((attack) => matrix.applies?.(attack, subject)),
      )
      expect([...selectAttacks(matrix, true).values()]).toEqual(all)
    }
  })
})

describe('the gaps of a selection', () => {
  const matrix = { ...createMatrix(0, 2), applies: () => true }

  it('name an attack that is not tried, and each value that it misses', () => {
    const [, second] = matrix.attacks
    const without = [...selectAttacks(matrix, true)].map(
      ([subject, attacks]) => [subject, attacks.filter((each) => each !== second)] as const,
    )
    const missing = ['backend a', 'user root', 'path cold', 'path warm', 'user user']
    expect(findGaps(matrix, new Map(without)).toSorted()).toEqual(
      [...missing, 'backend b', 'backend c', 'backend d']
        .map((value) => `attack 0-1 is not tried with ${value}`)
        .toSorted(),
    )
  })

  it('name a subject without an attack', () => {
    const selected = new Map(selectAttacks(matrix, true)).set(ALL[0]!, [])
    expect(findGaps(matrix, selected)).toEqual([
      'no attack is tried with backend a, user root, path cold',
    ])
  })
})
