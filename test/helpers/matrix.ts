import { createHash } from 'node:crypto'

/** Attacks, and the subjects that they are tried on. */
export interface Matrix<Attack, Subject> {
  attacks: readonly Attack[]
  /** Only those that can be attacked on this machine. */
  subjects: readonly Subject[]
  /** Unique name of an attack. */
  name: (attack: Attack) => string
  /** Value of a subject in each dimension, such as its backend, its user and its path. */
  describe: (subject: Subject) => Readonly<Record<string, string>>
  /** True if the subject guarantees what the attack needs. By default, every subject does. */
  applies?: (attack: Attack, subject: Subject) => boolean
}

/** `npm run test:all -- --matrix` tries each attack on each subject, and repeats what may happen rarely more often. */
export const IS_FULL = process.env['SKILLS_TEST_MATRIX'] === 'full'

/**
 * Selects the attacks of each subject: all of them, or a covering selection. It tries each attack on each backend, for
 * each user and by each path, and each subject at least once. An attack's subjects depend on its name alone, so that
 * a new attack is always selected and changes nothing for others.
 */
export function selectAttacks<Attack, Subject>(
  matrix: Matrix<Attack, Subject>,
  isFull = IS_FULL,
): ReadonlyMap<Subject, readonly Attack[]> {
  const { attacks, subjects } = matrix
  const selected = new Map(subjects.map((subject) => [subject, new Set<Attack>()]))
  for (const attack of attacks) {
    const possible = listPossible(matrix, attack)
    const tried = isFull ? possible : coverValues(matrix.name(attack), possible, matrix.describe)
    for (const subject of tried) selected.get(subject)?.add(attack)
  }
  const { applies = () => true } = matrix
  for (const [subject, chosen] of selected) {
    const first = attacks.find((attack) => applies(attack, subject))
    if (chosen.size === 0 && first !== undefined) chosen.add(first)
  }
  return new Map([...selected].map(([subject, chosen]) => [subject, [...chosen]]))
}

/** Selects the subjects of one attack: all of them, or as many as have every value of each dimension. */
export function selectSubjects<Subject>(
  name: string,
  subjects: readonly Subject[],
  describe: Matrix<never, Subject>['describe'],
): readonly Subject[] {
  return IS_FULL ? subjects : coverValues(name, subjects, describe)
}

/** Takes the subject with the most values that are missing, until none is. The name decides between equal ones. */
function coverValues<Subject>(
  name: string,
  subjects: readonly Subject[],
  describe: Matrix<never, Subject>['describe'],
): readonly Subject[] {
  const candidates = subjects
    .map((subject, at) => {
      const values = listValues(describe, subject)
      return { subject, values, order: hash(`${name}: ${at} ${values.join(', ')}`) }
    })
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
  const missing = new Set(candidates.flatMap(({ values }) => values))
  const chosen: Subject[] = []
  while (missing.size > 0) {
    const gains = candidates.map(({ values }) => values.filter((each) => missing.has(each)).length)
    const best = candidates[gains.indexOf(Math.max(...gains))]!
    for (const value of best.values) missing.delete(value)
    chosen.push(best.subject)
  }
  return chosen
}

/** Lists what a selection leaves out: values that an attack is not tried with, subjects without an attack. */
export function findGaps<Attack, Subject>(
  matrix: Matrix<Attack, Subject>,
  selected: ReadonlyMap<Subject, readonly Attack[]>,
): string[] {
  const gaps: string[] = []
  for (const attack of matrix.attacks) {
    const possible = listPossible(matrix, attack)
    const tried = possible.filter((subject) => selected.get(subject)?.includes(attack))
    const covered = new Set(tried.flatMap((subject) => listValues(matrix.describe, subject)))
    for (const value of new Set(
      possible.flatMap((subject) => listValues(matrix.describe, subject)),
    ))
      if (!covered.has(value)) gaps.push(`${matrix.name(attack)} is not tried with ${value}`)
  }
  const { applies = () => true } = matrix
  for (const subject of matrix.subjects) {
    const isPossible = matrix.attacks.some((attack) => applies(attack, subject))
    if (isPossible && !selected.get(subject)?.length)
      gaps.push(`no attack is tried with ${listValues(matrix.describe, subject).join(', ')}`)
  }
  return gaps
}

function listPossible<Attack, Subject>(
  { subjects, applies = () => true }: Matrix<Attack, Subject>,
  attack: Attack,
): Subject[] {
  return subjects.filter((subject) => applies(attack, subject))
}

function listValues<Subject>(
  describe: Matrix<never, Subject>['describe'],
  subject: Subject,
): string[] {
  return Object.entries(describe(subject)).map(([dimension, value]) => `${dimension} ${value}`)
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
