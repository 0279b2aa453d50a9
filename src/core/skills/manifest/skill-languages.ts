/** Language in which the code of an action may be written. */
interface SkillLanguage {
  name: SkillLanguageName
  /** Display name. */
  title: string
  /** File extensions, the usual one first. */
  extensions: readonly string[]
  /** Other names of the language. */
  aliases: readonly string[]
}

export const SKILL_LANGUAGE_NAMES = ['python', 'node', 'typescript', 'shell'] as const
export type SkillLanguageName = (typeof SKILL_LANGUAGE_NAMES)[number]

/** All supported languages; the protocol itself defines only Python. */
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

/** Undefined if actions cannot be written in the language. */
export function findSkillLanguage(name: string | undefined): SkillLanguage | undefined {
  return SKILL_LANGUAGES.find((each) => each.name === name)
}

/** True if a path has an extension of the language, or of Python if the language is unknown. */
export function hasLanguageExtension(language: string | undefined, path: string): boolean {
  const { extensions } = findSkillLanguage(language) ?? { extensions: ['.py'] }
  return extensions.some((extension) => path.endsWith(extension))
}
