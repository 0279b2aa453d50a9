import { quoteValue } from '../skill-facts.ts'
import type { HostDescription, ValueCheck } from './host.ts'
import {
  checkFlag,
  checkPlainName,
  checkTexts,
  createChoiceCheck,
  createTextCheck,
} from './value-checks.ts'

/** VS Code does not load a skill whose name differs from its folder. */
const checkFolderName: ValueCheck = (value, skill) => {
  const problem = checkPlainName(value, skill)
  if (problem || value === skill.folder) return problem
  const message = `${quoteValue(value)} differs from the folder ${quoteValue(skill.folder)}, expected them to be equal`
  return { message, help: `Write name: ${skill.folder}, or rename the folder` }
}

/** Source: "Use Agent Skills in VS Code", header; "Adding agent skills for GitHub Copilot CLI". */
export const COPILOT: HostDescription = {
  profile: 'copilot',
  title: 'GitHub Copilot',
  required: ['name', 'description'],
  keys: {
    name: checkFolderName,
    description: createTextCheck(1024),
    license: undefined,
    compatibility: undefined,
    metadata: undefined,
    'allowed-tools': checkTexts,
    'argument-hint': undefined,
    'user-invocable': checkFlag,
    'disable-model-invocation': checkFlag,
    context: createChoiceCheck(['fork']),
  },
}
