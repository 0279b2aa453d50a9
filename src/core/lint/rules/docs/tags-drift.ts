import type { Rule } from '../../rule.ts'
import { exampleMarkdown, exampleToml } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter, inToml, tomlOf } from '../../skill-facts.ts'

export const TAGS_DRIFT: Rule = {
  id: 'docs/tags-drift',
  severity: 'warning',
  what: 'SKILL.md and skill.toml give different tags',
  why: 'Which ones count depends on the reader.',
  example: {
    bad: {
      'skill.toml': exampleToml({ tags: '["demo"]' }),
      'SKILL.md': exampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\ntags: [hello]\n',
      ),
    },
    good: {},
  },
  fix: 'Keep the tags in skill.toml, and the same or none in SKILL.md.',
  check(skill, report) {
    const tags = frontMatterOf(skill)?.['tags']
    if (!tomlOf(skill) || !Array.isArray(tags)) return
    const texts = tags.filter((each): each is string => typeof each === 'string')
    const own = skill.manifest.tags
    if (texts.length === own.length && texts.every((each) => own.includes(each))) return
    const place = inToml(skill, ['tags'])
    report({
      ...inFrontMatter(skill, ['tags']),
      message: `The tags differ from those in skill.toml (${own.join(', ') || 'none'})`,
      help: 'Write the same tags in both, or remove them here',
      related:
        own.length > 0 && place.span
          ? [{ file: place.file, span: place.span, message: "the manifest's tags" }]
          : [],
    })
  },
}
