/** A language that the code of an action may be written in. */
interface SkillLanguage {
  name: SkillLanguageName
  /** For people. */
  title: string
  /** How its files end, the usual one first. */
  endings: readonly string[]
  /** What else people call it. */
  aliases: readonly string[]
}

export const SKILL_LANGUAGE_NAMES = ['python', 'node', 'typescript', 'shell'] as const
export type SkillLanguageName = (typeof SKILL_LANGUAGE_NAMES)[number]

/** Each of them; the protocol itself knows Python only. */
export const SKILL_LANGUAGES: readonly SkillLanguage[] = [
  { name: 'python', title: 'Python', endings: ['.py'], aliases: ['python3', 'py'] },
  {
    name: 'node',
    title: 'JavaScript',
    endings: ['.js', '.mjs', '.cjs'],
    aliases: ['javascript', 'js', 'nodejs'],
  },
  { name: 'typescript', title: 'TypeScript', endings: ['.ts', '.mts', '.cts'], aliases: ['ts'] },
  { name: 'shell', title: 'Bash', endings: ['.sh', '.bash'], aliases: ['bash', 'sh'] },
]

/** Undefined where no action can be written in it. */
export function skillLanguage(name: string | undefined): SkillLanguage | undefined {
  return SKILL_LANGUAGES.find((each) => each.name === name)
}

/** Whether a file is called like one of that language; of Python unless it is known. */
export function hasEndingOf(language: string | undefined, path: string): boolean {
  const { endings } = skillLanguage(language) ?? { endings: ['.py'] }
  return endings.some((ending) => path.endsWith(ending))
}
