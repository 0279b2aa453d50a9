import { TEMPLATES } from '../../../skills/scaffold/templates.ts'
import type { LintedSkill, ReportFinding, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'
import { locateInFrontMatter, locateInToml, quoteValue } from '../../skill-facts.ts'

// Skills that manage to-do lists use the word "TODO": it counts only at the start of a text.
const PLACEHOLDER =
  /^\s*(?:TODO|FIXME|TBD|XXX)\b|\b(?:TODO|FIXME|TBD):|^(?:todo|tbd)\W*$|lorem ipsum dolor|<(?:your|describe|insert|fill)\b|^describe (?:what (?:it|the|this|your)|the skill|(?:this|your) skill)\b|^(?:my|a|an) (?:new |first |awesome )?skill\W*$/
const IN_PROSE =
  /^[ \t]{0,8}(?:[-*>] |\d{1,3}\. )?(?:(?:TODO|FIXME|TBD)(?:\b(?=:|[ \t]*$| [-\u2013\u2014(])[^\n]{0,80}|\b(?= (?:add|write|describe|fill|explain|document|complete)\b)[^\n]{0,80})|(?:Describe|Explain) what (?:the|this|your) skill\b[^\n]{0,80}|<(?:your|describe|insert|fill)[ -][^>\n]{0,60}>[ \t]*$)|lorem ipsum dolor[^\n]{0,40}/gim

export const PLACEHOLDER_TEXT: Rule = {
  id: 'hygiene/placeholder',
  severity: 'warning',
  what: 'A description or the text of SKILL.md contains a placeholder',
  why: 'A model chooses skills by their descriptions and follows SKILL.md; a placeholder makes it guess.',
  example: {
    bad: { 'skill.toml': createExampleToml({ description: '"TODO: say what it does"' }) },
    good: {},
  },
  fix: 'Describe what the skill does and when to use it.',
  check(skill, report) {
    const { description, shortDescription, frontMatter } = skill.manifest
    const help = 'Describe what the skill does and when to use it'
    const checkText = (text: unknown, locate: () => ReturnType<typeof locateInToml>) => {
      if (!isPlaceholder(text)) return
      report({
        ...locate(),
        message: `${quoteValue(text)} is a placeholder, expected a description`,
        help,
      })
    }
    if (skill.toml) checkText(description, () => locateInToml(skill, ['description']))
    checkText(frontMatter['description'], () => locateInFrontMatter(skill, ['description']))
    checkText(shortDescription, () => locateInFrontMatter(skill, ['short_description']))
    checkTemplateDescription(skill, report)
    checkBody(skill, report)
  },
}

function isPlaceholder(text: unknown): boolean {
  if (typeof text !== 'string') return false
  const start = text.slice(0, 2000)
  return PLACEHOLDER.test(start) || PLACEHOLDER.test(start.charAt(0).toLowerCase() + start.slice(1))
}

const TEMPLATE_DESCRIPTIONS = new Set(TEMPLATES.map(({ description }) => description))

/** A skill of `skills new` still says what its template does. Skills of the namespace `demo` may: they are samples. */
function checkTemplateDescription(skill: LintedSkill, report: ReportFinding): void {
  const { description, namespace } = skill.manifest
  if (!TEMPLATE_DESCRIPTIONS.has(description) || namespace === 'demo') return
  report({
    ...(skill.toml
      ? locateInToml(skill, ['description'])
      : locateInFrontMatter(skill, ['description'])),
    severity: 'info',
    message: 'The description is that of the template, expected one of this skill',
    help: 'Describe what the skill does and when to use it, also in SKILL.md',
  })
}

/** Sentences of the templates of `skills new` that ask for a change. */
const UNEDITED =
  /List the words and situations in which this skill applies|Replace them with\s+your own host and secret/

function checkBody({ markdown }: LintedSkill, report: ReportFinding): void {
  const unedited = markdown && UNEDITED.exec(markdown.text)
  if (unedited) {
    report({
      file: 'SKILL.md',
      span: { start: unedited.index, end: unedited.index + unedited[0].length },
      severity: 'info',
      message: 'This sentence is that of the template, expected one about the skill',
      help: 'Write the text, or remove the sentence',
    })
  }
  if (
    !markdown ||
    !/TODO|FIXME|TBD|lorem ipsum|(?:describe|explain) what|<(?:your|describe|insert|fill)/i.test(
      markdown.text,
    )
  )
    return
  for (const match of scanMarkdown(markdown).prose.matchAll(IN_PROSE)) {
    const text = match[0].trim()
    if (
      /^(?:[-*>] |\d+\. )?(?:todo|fixme|tbd)/i.test(text) &&
      !/^(?:[-*>] |\d+\. )?(?:TODO|FIXME|TBD)\b/.test(text)
    )
      continue
    const start = match.index + match[0].indexOf(text)
    report({
      file: 'SKILL.md',
      span: { start, end: start + text.length },
      message: `${quoteValue(text)} is a placeholder, expected the final text`,
      help: 'Write the text, or remove the line',
    })
  }
}
