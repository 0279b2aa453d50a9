/** Texts of a skill in which words are looked up. */
export interface SearchedSkill {
  name: string
  description: string
  tags: readonly string[]
}

const NAME_WEIGHT = 6
const TAG_WEIGHT = 4
const DESCRIPTION_WEIGHT = 1
/** A word that begins with the searched one counts less than an equal one. */
const PREFIX_SHARE = 0.5
const MAX_WORDS = 16
const MAX_CHARACTERS = 2000

/** Splits a query into words in lower case. */
export function splitWords(text: string): string[] {
  const words = text.slice(0, MAX_CHARACTERS).normalize('NFKC').toLowerCase()
  return [...new Set(words.match(/[\p{L}\p{N}]+/gu) ?? [])]
}

/** Orders skills by how well they match; a skill must match every word. */
export function rankSkills<Skill extends SearchedSkill>(
  skills: readonly Skill[],
  query: string,
): Skill[] {
  const words = splitWords(query).slice(0, MAX_WORDS)
  return skills
    .map((skill) => ({ skill, score: scoreSkill(skill, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .map(({ skill }) => skill)
}

function scoreSkill(skill: SearchedSkill, words: readonly string[]): number {
  const fields = [
    { weight: NAME_WEIGHT, found: splitWords(skill.name) },
    { weight: TAG_WEIGHT, found: splitWords(skill.tags.join(' ')) },
    { weight: DESCRIPTION_WEIGHT, found: splitWords(skill.description) },
  ]
  let total = 0
  for (const word of words) {
    const score = fields.reduce(
      (sum, { weight, found }) => sum + weight * matchWord(word, found),
      0,
    )
    if (score === 0) return 0
    total += score
  }
  return total
}

function matchWord(word: string, found: readonly string[]): number {
  if (found.includes(word)) return 1
  return found.some((each) => each.startsWith(word)) ? PREFIX_SHARE : 0
}
