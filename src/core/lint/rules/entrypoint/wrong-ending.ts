import {
  hasLanguageExtension,
  findSkillLanguage,
} from '../../../skills/manifest/skill-languages.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'

const NODE_TABLES = EXAMPLE_TABLES.replace('"python"', '"node"')

export const WRONG_ENDING: Rule = {
  id: 'entrypoint/wrong-ending',
  severity: 'error',
  what: 'The entrypoint of a JavaScript, TypeScript or shell skill has another file extension',
  why: 'Node and editors determine the language by the file extension.',
  example: {
    bad: {
      'skill.toml': createExampleToml({}, NODE_TABLES.replace('main.py', 'main.txt')),
      'code/main.txt': 'export function main() {}\n',
    },
    good: {
      'skill.toml': createExampleToml({}, NODE_TABLES.replace('main.py', 'main.js')),
      'code/main.js': 'export function main() {}\n',
    },
  },
  fix: 'Rename the file, and update the entrypoint.',
  check(skill, report) {
    const { language: name, entrypoint } = skill.manifest.runtime ?? {}
    const language = findSkillLanguage(name)
    if (!language || language.name === 'python' || !entrypoint) return
    if (hasLanguageExtension(name, entrypoint)) return
    if (!skill.files.some((file) => file.path === entrypoint && file.type === 'file')) return
    const endings = language.extensions.map((each) => `"${each}"`).join(', ')
    report({
      ...locateInToml(skill, ['runtime', 'entrypoint']),
      message: `The entrypoint ${quoteValue(entrypoint)} is not a ${language.title} file, expected one that ends in ${endings}`,
      help: `Rename the file so that it ends in ${language.extensions[0]}`,
    })
  },
}
