import type { SkillSummary } from './skill-summary.ts'
import { escapeXml } from '../../../util/xml.ts'

export interface OverviewOptions {
  /** Maximum number of described skills; the others are listed by name. */
  max?: number | undefined
  /** Renders the list; its result follows the heading, and a blank result omits the list. */
  render?: ((skills: readonly SkillSummary[]) => string) | undefined
}

/** Characters of a description in the overview. */
const MAX_DESCRIPTION = 1024
const OVERVIEW_HEADING = 'Available skills:'

/**
 * The list of skills for a system message. It is sorted by name and independent of the
 * conversation, so that every request has the same prefix.
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

/** The list as the XML elements that Agent Skills clients use in their prompts. */
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

/**
 * Removes line breaks and control characters of a description before it reaches a model or a
 * terminal.
 */
function toSingleLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  if (line.length <= MAX_DESCRIPTION) return line
  // Drops a lone surrogate.
  return `${line.slice(0, MAX_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
