import type { CommandDefinition } from '../command.ts'
import { ADD_TRUST } from '../signing/trust-add.ts'
import { TRUST_PROJECT } from '../signing/trust-project.ts'
import { LIST_TRUST, REMOVE_TRUST, REVOKE_TRUST, TRUST_RULE } from '../signing/trust-commands.ts'

export const command: CommandDefinition = {
  summary: 'Manage trusted keys of skills, and trusted projects',
  details: [
    'Manage the keys that are trusted to sign skills, and the projects whose',
    'settings are obeyed.',
    '',
    'The keys are in trust.json, the projects in trusted-projects, both in the',
    "user's configuration folder. Nothing in a skill, an archive or a project can",
    'change them.',
  ].join('\n'),
  subcommands: {
    add: ADD_TRUST,
    list: LIST_TRUST,
    revoke: REVOKE_TRUST,
    remove: REMOVE_TRUST,
    rule: TRUST_RULE,
    project: TRUST_PROJECT,
  },
}
