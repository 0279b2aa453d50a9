import type { Rule } from '../../rule.ts'
import { createExampleMarkdown, createExampleToml } from '../../example-skill.ts'
import { getFrontMatter, locateInFrontMatter, locateInToml, getToml } from '../../skill-facts.ts'

export const TAGS_DRIFT: Rule = {
  id: 'docs/tags-drift',
  severity: 'warning',
  what: 'SKILL.md and skill.toml have different tags',
  why: 'Which tags apply depends on the reader.',
  example: {
    bad: {
      'skill.toml': createExampleToml({ tags: '["demo"]' }),
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\ntags: [hello]\n',
      ),
    },
    good: {},
  },
  fix: 'Keep the tags in skill.toml, and either the same tags or none in SKILL.md.',
  check(skill, report) {
    const tags = getFrontMatter(skill)?.['tags']
    if (!getToml(skill) || !Array.isArray(tags)) return
    const texts = tags.filter((each): each is string => typeof each === 'string')
    const own = skill.manifest.tags
    if (texts.length === own.length && texts.every((each) => own.includes(each))) return
    const manifestLocation = locateInToml(skill, ['tags'])
    report({
      ...locateInFrontMatter(skill, ['tags']),
      message: `The tags differ from those in skill.toml (${own.join(', ') || 'none'})`,
      help: 'Write the same tags in both files, or remove them here',
      related:
        own.length > 0 && manifestLocation.span
          ? [
              {
                file: manifestLocation.file,
                span: manifestLocation.span,
                message: "the manifest's tags",
              },
            ]
          : [],
    })
  },
}
