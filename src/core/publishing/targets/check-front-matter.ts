import type { SkillRelease } from './publish-target.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import { SkillsError } from '../../../errors.ts'

/** Characters of a description that clients accept. */
export const MAX_DESCRIPTION = 1024

/**
 * Refuses a SKILL.md without the name and the description that clients read. They skip such a skill
 * without a message, although all digests are right.
 */
export function checkFrontMatter({ skill, manifest, files }: SkillRelease): void {
  const file = files.find(({ path }) => path === 'SKILL.md')
  const markdown = readMarkdown('SKILL.md', Buffer.from(file?.bytes ?? []).toString('utf8'))
  const mistake = markdown.frontMatter.problem ?? markdown.frontMatter.repaired
  if (mistake) {
    const hint = 'Quote the value: description: "Use it: always"'
    throw frontMatterError(skill, `is not valid YAML: ${mistake.message}`, hint)
  }
  const { name, description } = manifest.frontMatter
  if (typeof name !== 'string' || name === '') {
    throw frontMatterError(skill, 'has no name', 'Write name: <name> between the lines "---"')
  }
  if (typeof description !== 'string' || description.trim() === '') {
    const hint = 'Write description: "<text>" in quotes, which a text with ": " needs'
    throw frontMatterError(skill, 'has no description', hint)
  }
  if (description.length > MAX_DESCRIPTION) {
    const problem = `has a description of more than ${MAX_DESCRIPTION} characters`
    throw frontMatterError(skill, problem, 'Shorten the description')
  }
}

function frontMatterError(skill: string, problem: string, hint: string): SkillsError {
  return new SkillsError(
    'skill/invalid',
    `Cannot publish "${skill}": the front matter of its SKILL.md ${problem}`,
    { hint },
  )
}

/** Texts of a skill that registries show. */
export interface ReleaseTexts {
  description: string
  license: string | undefined
  compatibility: string | undefined
}

export function describeRelease({ manifest }: Pick<SkillRelease, 'manifest'>): ReleaseTexts {
  const { description, frontMatter } = manifest
  const find = (key: string) => {
    const value: unknown = frontMatter[key]
    return typeof value === 'string' ? value : undefined
  }
  return { description, license: find('license'), compatibility: find('compatibility') }
}
