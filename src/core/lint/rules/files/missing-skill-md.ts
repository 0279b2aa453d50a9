import type { Edit, Rule } from '../../rule.ts'
import { tomlOf } from '../../skill-facts.ts'
import { yamlText } from '../../yaml-text.ts'

export const MISSING_SKILL_MD: Rule = {
  id: 'files/missing-skill-md',
  severity: 'error',
  what: 'The skill has no SKILL.md',
  why: 'SKILL.md is what a model reads before it uses the skill.',
  example: { bad: { 'SKILL.md': null }, good: {} },
  fix: 'Write one: front matter with name and description, then what the skill does, how to call it, an example. --fix-unsafe makes a draft.',
  fixable: 'unsafe',
  check(skill, report) {
    if (skill.markdown || skill.files.some((file) => file.path.toLowerCase() === 'skill.md')) return
    report({
      file: 'SKILL.md',
      message: 'There is no SKILL.md, expected one beside skill.toml',
      help: 'Describe what the skill does, its arguments, and one or two example tasks',
      edits: draft(skill),
      unsafe: true,
    })
  },
}

function draft(skill: Parameters<Rule['check']>[0]): Edit[] {
  const { name, description, inputs } = skill.manifest
  if (!tomlOf(skill) || !name || !description) return []
  const title = name.split('.').at(-1) as string
  const args = Object.keys(inputs)
    .map((key) => `- \`${key}\`\n`)
    .join('')
  const text = `---\nname: ${yamlText(skill.folder)}\ndescription: ${JSON.stringify(description)}\n---\n\n# ${title}\n\n${description}\n${args ? `\n## Arguments\n\n${args}` : ''}\n## Example\n\n\`\`\`sh\nskills exec ${name}\n\`\`\`\n`
  return [{ kind: 'create', file: 'SKILL.md', text }]
}
