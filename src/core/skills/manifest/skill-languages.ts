/** A language that the code of an action may be written in. */
interface SkillLanguage {
  name: SkillLanguageName
  /** For people. */
  title: string
  /** How its files end, the usual one first. */
  extensions: readonly string[]
  /** What else people call it. */
  aliases: readonly string[]
}

export const SKILL_LANGUAGE_NAMES = ['python', 'node', 'typescript', 'shell'] as const
export type SkillLanguageName = (typeof SKILL_LANGUAGE_NAMES)[number]

/** Each of them; the protocol itself knows Python only. */
export const SKILL_LANGUAGES: readonly SkillLanguage[] = [
  { name: 'python', title: 'Python', extensions: ['.py'], aliases: ['python3', 'py'] },
  {
    name: 'node',
    title: 'JavaScript',
    extensions: ['.js', '.mjs', '.cjs'],
    aliases: ['javascript', 'js', 'nodejs'],
  },
  { name: 'typescript', title: 'TypeScript', extensions: ['.ts', '.mts', '.cts'], aliases: ['ts'] },
  { name: 'shell', title: 'Bash', extensions: ['.sh', '.bash'], aliases: ['bash', 'sh'] },
]

/** Undefined where no action can be written in it. */
export function findSkillLanguage(name: string | undefined): SkillLanguage | undefined {
  return SKILL_LANGUAGES.find((each) => each.name === name)
}

/** Whether a file is called like one of that language; of Python unless it is known. */
export function hasLanguageExtension(language: string | undefined, path: string): boolean {
  const { extensions: endings } = findSkillLanguage(language) ?? { extensions: ['.py'] }
  return endings.some((extension) => path.endsWith(extension))
}
