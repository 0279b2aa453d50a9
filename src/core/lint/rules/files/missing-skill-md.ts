import type { LintEdit, Rule } from '../../rule.ts'
import { getToml } from '../../skill-facts.ts'
import { toYamlString } from '../../yaml/yaml-string.ts'

export const MISSING_SKILL_MD: Rule = {
  id: 'files/missing-skill-md',
  severity: 'error',
  what: 'The skill has no SKILL.md',
  why: 'A model reads SKILL.md before it uses the skill.',
  example: { bad: { 'SKILL.md': null }, good: {} },
  fix: 'Write SKILL.md: front matter with name and description, then what the skill does, how to call it, and an example. --fix-unsafe creates a draft.',
  fixable: 'unsafe',
  check(skill, report) {
    if (skill.markdown || skill.files.some((file) => file.path.toLowerCase() === 'skill.md')) return
    report({
      file: 'SKILL.md',
      message: `The skill has no SKILL.md, expected one ${skill.toml ? 'next to skill.toml' : 'in its folder'}`,
      help: 'Describe what the skill does, its arguments, and one or two example tasks',
      edits: draftSkillMd(skill),
      unsafe: true,
    })
  },
}

function draftSkillMd(skill: Parameters<Rule['check']>[0]): LintEdit[] {
  const { name, description, inputs } = skill.manifest
  if (!getToml(skill) || !name || !description) return []
  const title = name.split('.').at(-1) as string
  const args = Object.keys(inputs)
    .map((key) => `- \`${key}\`\n`)
    .join('')
  const text = `---\nname: ${toYamlString(skill.folder)}\ndescription: ${JSON.stringify(description)}\n---\n\n# ${title}\n\n${description}\n${args ? `\n## Arguments\n\n${args}` : ''}\n## Example\n\n\`\`\`sh\nskills exec ${name}\n\`\`\`\n`
  return [{ kind: 'create', file: 'SKILL.md', text }]
}
