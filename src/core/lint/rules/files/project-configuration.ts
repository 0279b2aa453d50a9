import { isVendored } from '../../vendored.ts'
import type { Rule } from '../../rule.ts'

const NAME = /(?:^|\/)skills\.config\.toml$/i

export const PROJECT_CONFIGURATION: Rule = {
  id: 'files/project-configuration',
  severity: 'error',
  what: 'The skill contains a configuration file of a project',
  why: 'It is never read there; pack, publish, install and create_skill refuse the skill, since settings of a stranger could start programs.',
  example: { bad: { 'skills.config.toml': '[run]\npython = "./evil.sh"\n' }, good: {} },
  fix: 'Remove the file, or move the skill into a subfolder of the project, such as skills/<name>.',
  check(skill, report) {
    for (const { path, type } of skill.files) {
      if (type === 'directory' || !NAME.test(path) || isVendored(path)) continue
      report({
        file: path,
        message: `"${path}" is the configuration of a project, which no skill may contain`,
        help: 'Remove it, or move the skill into a subfolder of the project',
      })
    }
  },
}
