import type { SkillSummary } from './skill-summary.ts'
import { escapeXml } from '../../../util/xml.ts'

export interface OverviewOptions {
  /** At most so many skills are described; the others are named. */
  max?: number | undefined
  /** Writes the list itself; what it gives stands below the heading, and blank leaves it out. */
  render?: ((skills: readonly SkillSummary[]) => string) | undefined
}

/** What a description may take in the overview. */
const MAX_DESCRIPTION = 1024
const OVERVIEW_HEADING = 'Available skills:'

/**
 * The list of skills as a system message has it. Its order is by name and depends on nothing that is
 * said, so that the beginning of every request stays the same.
 */
export function renderOverview(
  skills: readonly SkillSummary[],
  { max, render }: OverviewOptions = {},
): string {
  if (skills.length === 0) return ''
  if (render) return addHeading(render(skills))
  const isCapped = max !== undefined && max > 0 && max < skills.length
  const shown = isCapped ? skills.slice(0, max) : skills
  const lines = shown.map(({ name, description }) => `- ${name}: ${toSingleLine(description)}`)
  if (!isCapped) return [OVERVIEW_HEADING, ...lines].join('\n')
  const rest = skills.slice(max).map((skill) => skill.name)
  const heading = `Available skills (showing ${max} of ${skills.length}; remaining names listed below):`
  const tail = `Additional skills (known by name only): ${rest.join(', ')}`
  return [heading, ...lines, tail].join('\n')
}

/** The same as the elements that Agent Skills clients put into their prompts. */
export function renderAvailableSkills(
  skills: readonly (SkillSummary & { location?: string | undefined })[],
): string {
  const items = skills.map(({ name, description, location }) =>
    [
      '  <skill>',
      `    <name>${escapeXml(name)}</name>`,
      `    <description>${escapeXml(toSingleLine(description))}</description>`,
      ...(location === undefined ? [] : [`    <location>${escapeXml(location)}</location>`]),
      '  </skill>',
    ].join('\n'),
  )
  return ['<available_skills>', ...items, '</available_skills>'].join('\n')
}

function addHeading(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('Available skills')) return trimmed
  return `${OVERVIEW_HEADING}\n${trimmed}`
}

/** Neither a line break nor a control character of a description reaches a model or a terminal. */
function toSingleLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  if (line.length <= MAX_DESCRIPTION) return line
  // Half of a character is none.
  return `${line.slice(0, MAX_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
